"""The same program written otherwise (renamed, in macros, in a header) gives the same rules at the same lines."""

from __future__ import annotations

import re
from collections.abc import Callable

from drawing import ELSEWHERE, devices_of, expected, version_of
from thinned import thinned
from together import together

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.rules import RULES, check
from ompls.analysis.source import HeaderSnapshot, Settings

Found = list[tuple[str, str, int]]  # rule, severity, line

EXAMPLES = [
    (rule.id, text)
    for rule in RULES.values()
    if rule.id not in ELSEWHERE  # `check` does not say what others notice
    for text in (*rule.bad, *rule.good[:3])
]
IDS = [f"{rule}-{i}" for i, (rule, _) in enumerate(EXAMPLES)]


def lines_of(text: str, path: str = "example.c", snapshot: HeaderSnapshot | None = None, main: str = "") -> Found:
    """Rule, severity and line of every finding in `path`."""
    source = main or text
    settings = Settings(openmp=version_of(text), devices=devices_of(text))  # type: ignore[arg-type]
    tu = Analyzer().analyze("example.c", source.encode(), snapshot or HeaderSnapshot("none"), settings)
    data = text.encode()
    return [(d.rule, d.severity, data.count(b"\n", 0, d.where.start)) for d in check(tu) if d.where.path == path]


def without_drawings(text: str) -> str:
    """Drawn lines become empty, so that nothing but code is changed below."""
    return re.sub(r"^\s*//\s*\^.*$", "", text, flags=re.MULTILINE)


def renamed(text: str) -> str:
    """Every name of the user's gets a suffix, members too."""
    names = {"f", "n", "x", "y", "a", "b", "p", "t", "v", "i", "sum", "last", "count", "mode", "head", "one", "helper"}
    code = without_drawings(text)
    parts = re.split(r"(#pragma[^\n]*)", code)
    for k, part in enumerate(parts):
        parts[k] = re.sub(
            r"(?<!\w)(?<!\d\.)([A-Za-z_]\w*)", lambda m: m.group(1) + "_q" if m.group(1) in names else m.group(1), part
        )
    return "".join(parts)


def in_macros(text: str) -> str:
    """Every pragma comes out of a macro with `_Pragma`, on the same line."""
    code = without_drawings(text)

    def wrap(match: re.Match[str]) -> str:
        words = match.group(1)
        # A macro's arguments end at a parenthesis, so an unclosed pragma cannot be wrapped.
        return f"OMP({words})" if words.count("(") == words.count(")") else match.group()

    # What is in a comment behind it stays behind it: a `//` in there would comment the parenthesis out.
    return "#define OMP(...) _Pragma(#__VA_ARGS__)\n" + re.sub(r"#pragma (omp (?:(?!//)[^\n])*)", wrap, code)


def names_in_macros(text: str) -> str:
    """Map types and lengths are macros."""
    code = without_drawings(text)
    code = re.sub(r"(map\()(tofrom|from|alloc|to)(:)", lambda m: f"{m.group(1)}KIND_{m.group(2)}{m.group(3)}", code)
    defines = "".join(f"#define KIND_{k} {k}\n" for k in ("tofrom", "from", "alloc", "to"))
    return defines + code


def shifted(found: Found, by: int) -> Found:
    return [(rule, severity, line + by) for rule, severity, line in found]


MUTATIONS: list[tuple[str, Callable[[str], str], int]] = [
    ("renamed", renamed, 0),
    ("in macros", in_macros, 1),
    ("names in macros", names_in_macros, 4),
    ("blank lines above", lambda t: "\n\n" + without_drawings(t), 2),
    ("a function above", lambda t: "int unrelated(int z) { return z; }\n" + without_drawings(t), 1),
]


MUTATED = [(*example, *mutation[1:]) for example in EXAMPLES for mutation in MUTATIONS]


@together(
    ("rule", "text", "mutate", "by"),
    thinned(MUTATED, 24, of_rest=19, ids=(f"{i}-{name}" for i in IDS for name, _, _ in MUTATIONS)),
)
def test_same_findings(rule: str, text: str, mutate: Callable[[str], str], by: int) -> None:
    before = lines_of(without_drawings(text))
    if expected(text):
        assert rule in {r for r, _, _ in before}
    assert sorted(lines_of(mutate(text))) == sorted(shifted(before, by))


@together(("rule", "text"), thinned(EXAMPLES, 8, of_rest=12, ids=IDS))
def test_same_findings_in_a_header(rule: str, text: str) -> None:
    code = without_drawings(text)
    snapshot = HeaderSnapshot("one", texts={'"part.h"': ("part.h", code.encode())})
    found = lines_of(code, "part.h", snapshot, '#include "part.h"\n')
    # a comment in a header may silence something for another file, so only those of the main file are judged
    assert sorted(found) == sorted(line for line in lines_of(code) if line[0] != "unused-suppression")
