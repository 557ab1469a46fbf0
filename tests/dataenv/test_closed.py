"""Regions that are seen to be closed at a glance: with and without that glance the machine notices the same."""

from __future__ import annotations

import random
from typing import Any

import pytest

from ompls.analysis.dataenv.faults import Event
from ompls.analysis.dataenv.machine.analysis import events_of_unit
from ompls.analysis.dataenv.machine.directives import Directives
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.rules.support.framework import unit_of
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings

COUNT = 60
HEAD = "void *malloc(unsigned long);\nvoid free(void *);\nint printf(const char *, ...);\ndouble sqrt(double);\n"
LOOPS = (
    *["for (int i = 0; i < n; i++)"] * 6,
    "for (int i = 0; i < 64; i++)",
    "for (int i = 1; i < n - 1; i++)",
    "for (int i = 0; i <= n; i++)",
    "for (int i = n - 1; i >= 0; i--)",
)
MAPS = (
    *["map(to: x[0:n]) map(tofrom: y[0:n])"] * 9,
    "map(to: x[:n]) map(tofrom: y[:n])",
    "map(tofrom: x[0:n], y[0:n])",
    "map(to: x[0:n], y[0:n])",
    "map(to: x[0:n]) map(from: y[0:n])",
    "map(to: x[0:n-1]) map(tofrom: y[0:n])",
    "map(to: x[0:64]) map(tofrom: y[0:64])",
    "map(to: x[1:n]) map(tofrom: y[0:n])",
    "map(tofrom: y[0:n])",
)
BODIES = (
    *["y[i] += x[i];"] * 9,
    "y[i] = 2 * x[i] + n;",
    "{ TYPE t = x[i]; y[i] = t * t; }",
    "y[i] = sqrt(x[i]);",
    "if (x[i] > 0) y[i] = x[i];",
    "y[i] = x[i + 1];",
    "y[0] += x[i];",
    "x[i] = y[i];",
    "y[i] = k;",
    "for (int j = 0; j < n; j++) y[i] += x[j];",
    "{ *y = x[i]; }",
    "{ int j = i; y[j] = x[j]; }",
    "y[i] = i < n ? x[i] : 0;",
    "k = x[i];",
)
BETWEEN = (
    *[""] * 9,
    "y[0] = 1;",
    'printf("%f", y[0] + 0.0);',
    "#pragma omp target update from(y[0:n])\n",
    "#pragma omp target enter data map(to: y[0:n])\n",
    "#pragma omp target exit data map(from: y[0:n])\n",
    "n = 10;",
    "y = x;",
    "for (int t = 0; t < 3; t++) CALL",
    "if (n > 5) CALL",
    "CALL",
    "y++;",
    "#pragma omp target data map(tofrom: y[0:n])\nCALL",
    "k = y[0]; n = k;",
)


def program(random_: random.Random) -> str:
    choose = random_.choice
    type_ = choose(("double", "double", "float", "int"))
    functions = []
    for number in range(3):
        parts = []
        for _ in range(random_.randrange(1, 4)):
            region = f"#pragma omp target{choose((' teams distribute parallel for', ''))} {choose(MAPS)}\n"
            parts += [region + choose(LOOPS) + " " + choose(BODIES), choose(BETWEEN)]
        body = "\n".join(parts).replace("CALL", f"f{number - 1}(n, x, y);" if number else ";")
        head = f"{choose(('static ', ''))}void f{number}(int n, {choose(('', 'const '))}TYPE *x, TYPE *y)"
        functions.append(f"{head} {{ int k = 0;\n{body}\n}}\n")
    made = choose(("TYPE x[64], y[64];", "TYPE *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);"))
    filled = choose(("", "for (int i = 0; i < 64; i++) { x[i] = i; y[i] = 1; }"))
    calls = "\n".join([f"f{random_.randrange(3)}(n, x, y{choose(('', '', ' + 1'))});" for _ in range(3)])
    seen = choose(("", 'printf("%f", y[3] + 0.0);'))
    main = f"int main(void) {{ int n = {choose(('64', '63', '65'))}; {made}\n{filled}\n{calls}\n{seen}\nreturn 0; }}\n"
    return HEAD + "".join(functions).replace("TYPE", type_) + main.replace("TYPE", type_)


def events(text: str) -> dict[str, set[Event]]:
    tu = Analyzer().analyze("x.c", text.encode(), EMPTY_SNAPSHOT, Settings())
    return {name: set(found) for name, found in events_of_unit(unit_of(tu)).items() if found}


@pytest.mark.thorough
def test_the_same_is_noticed_with_and_without_the_glance(monkeypatch: pytest.MonkeyPatch) -> None:
    glance, closed = Directives.ends_as_it_begins, []

    def counted(self: Directives, *args: Any) -> bool:
        closed.append(glance(self, *args))
        return closed[-1]

    random_ = random.Random(5)
    noticed = 0
    for _ in range(COUNT):
        text = program(random_)
        monkeypatch.setattr(Directives, "ends_as_it_begins", counted)
        found = events(text)
        monkeypatch.setattr(Directives, "ends_as_it_begins", lambda *_: False)
        assert found == events(text), text
        noticed += bool(found)
    assert closed.count(True) > 12
    assert noticed > COUNT // 2


def test_kernels_as_they_are_written_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    def walked(*_: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(Directives, "body", walked)
    for clauses, body in (("map(to: x[0:n]) map(tofrom: y[0:n])", "y[i] += x[i];"),
                          ("map(to: x[0:n]) map(tofrom: s) reduction(+: s)", "s += sqrt(x[i]);")):  # fmt: skip
        text = (
            f"{HEAD}void f(int n, double *x, double *y) {{ double s = 0;\n#pragma omp target parallel for {clauses}\n"
        )
        assert events(f"{text}for (int i = 0; i < n; i++) {body} y[0] = s; }}\n") == {}
