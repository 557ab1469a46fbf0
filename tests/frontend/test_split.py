"""The text is cut at its external declarations; a broken one harms no other, and what was cut before is no matter."""

from __future__ import annotations

import random
import re

import pytest
from together import together

from ompls.analysis.syntax.split import Splitter
from ompls.analysis.syntax.stretch import Stretches

# The cuts are at the bars.
TEXTS = {
    "functions and declarations": "int a;|\nvoid f(void) {\n}|\nint b;\n",
    "a head over several lines": "static int\nf(int a,\n  int b)\n{\n  return a;\n}|\nint b;\n",
    "a record and its declarators": "struct s {\n  int a;\n}\nx, y;|\nint b;\n",
    "an initialiser at the margin": "int a[] =\n{\n1,\n2\n};|\nint b;\n",
    "labels and statements at the margin": "void f(void)\n{\nagain:\nif (1) {\ngoto again;\n}\n}|\nint b;\n",
    "parameters of old style": "int a;|\nint f(a, b)\nint a;\ndouble b;\n{\n  return a;\n}|\nint b;\n",
    "braces in literals": 'char *a = "{";|\nchar b = \'{\';|\nchar *c = "\\"{";|\nint d;\n',
    "braces in comments": "int a; /* {\n{ */|\nint b; // { \\\n{ {\n|int c;\n",
    "a comment at the margin inside": "void f(void) {\n/*\n}\n*/\n}|\nint b;\n",
    "everything indented": "  int a;\n  int b;\n",
    "an unclosed brace": "int a;|\nvoid f(void)\n{\n  if (1) {\n}\n|int g(void)\n{\nx();\n}|\nint b;\n",
    "a brace too many": "void f(void)\n{\n}|\n}|\nint b;\n",
    "a missing semicolon": "int a\nint b;|\nint c;\n",
    "an unclosed literal": 'void f(void) {\n  g(");\n}|\nvoid h(void) {\n}|\nint b;\n',
    "nothing": "\n  \n",
}


def cut(text: str, splitter: Splitter | None = None) -> list[str]:
    data = text.encode()
    return [data[a:b].decode() for a, b in (splitter or Splitter()).split(data)]


@together("name", TEXTS)
def test_cuts(name: str) -> None:
    text = TEXTS[name]
    splitter = Splitter()
    found = splitter.split(text.replace("|", "").encode())
    bars = [i - k for k, i in enumerate(i for i, c in enumerate(text) if c == "|")]
    between = [sum(end <= bar for _, end in found) for bar in bars]
    assert between == list(range(1, len(bars) + 1))
    assert all(not (start < bar < end) for start, end in found for bar in bars)
    assert len(found) == (len(bars) + 1 if text.strip() else 0)


def test_a_cut_does_not_depend_on_what_was_cut_before() -> None:
    chance = random.Random(7)
    text = "".join(TEXTS.values()).replace("|", "")
    splitter = Splitter()
    for _ in range(600):
        at = chance.randrange(len(text))
        gone = chance.choice((0, 0, 1, 9))
        text = (
            text[:at]
            + chance.choice(("{", "}", ";", "\n", '"', "/*", "*/", "//", "\\\n", "int f(int a)", ""))
            + text[at + gone :]
        )
        assert cut(text, splitter) == cut(text)


def test_cuts_of_stretches_are_those_of_the_whole_text() -> None:
    chance = random.Random(8)
    splitter, known = Splitter(), Stretches()
    text = "".join(TEXTS.values()).replace("|", "")
    for turn in range(1500):
        at = chance.randrange(len(text))
        gone = chance.choice((0, 0, 1, 9))
        piece = chance.choice(("{", "}", ";", "\n", '"', "/*", "*/", "//", "\\\n", "int f(int a)", "\n  int x", ""))
        text = text[:at] + piece + text[at + gone :]
        if turn % 20 == 19:
            text = "".join(chance.choices(list(TEXTS.values()), k=20)).replace("|", "")
        stretches, x = [], 0
        for part in re.findall(rf"(?:.*\n){{1,{chance.randrange(1, 9)}}}|.+", text):
            stretches.append((x, known.get(part.encode(), ())))
            x += len(part)
        groups = splitter.groups(stretches, known)
        assert b"".join(group.text for _, group in groups) == text.encode()
        found = [(x + start, x + end) for x, group in groups for start, end in group.chunks or ()]
        assert found == Splitter().split(text.encode()), text


@pytest.mark.thorough
def test_many_unclosed_functions_take_no_longer() -> None:
    text = "void f(int a) {\n  if (a) {\n}\n" * 20_000
    assert len(cut(text)) == 20_000
