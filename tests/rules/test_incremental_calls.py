"""What is kept of functions that call each other: after random edits of callers, callees and globals, and whatever was
checked before, the findings are those of a fresh analysis."""

from __future__ import annotations

import random

import pytest
from drawing import DEVICES
from thinned import thinned

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.tu import TU
from ompls.analysis.rules import check
from ompls.analysis.rules.support.changes import Changes
from ompls.analysis.rules.support.framework import unit_of
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings
from ompls.analysis.syntax import blocks

FUNCTIONS = 8
HEAD = "void *malloc(unsigned long);\nvoid free(void *);\nvoid others(double *);\n"
GLOBALS = (
    "static int count;\nstatic double *kept;\n",
    "static int count = 4;\nstatic double *kept;\n#pragma omp declare target(count)\n",
    "int count;\ndouble *kept, table[64];\n",
    "static int count;\nstatic double *kept;\n#pragma omp threadprivate(count)\n",
)
ENDS = (
    "",
    "#pragma omp declare target(count)\n",
    "#pragma omp declare target(f1, f2)\n",
    "void (*taken[])() = {f3};\n",
)
PIECES = (
    "#pragma omp target\np[0] = n;\n",
    "#pragma omp target map(tofrom: p[0:n])\nfor (int i = 0; i < n; i++) p[i] += count;\n",
    "#pragma omp target enter data map(to: p[0:n])\n",
    "#pragma omp target exit data map(from: p[0:n])\n",
    "#pragma omp target update from(p[0:n])\n",
    "#pragma omp target data map(to: p[0:n])\n{ f%d(p, n); }\n",
    "#pragma omp parallel for\nfor (int i = 0; i < n; i++) p[0] += f%d(p, i);\n",
    "#pragma omp task shared(count)\ncount++;\n",
    "for (int i = 0; i < n; i++) f%d(p, n);\n",
    "f%d(p, n);\n", "f%d(p, n - 1);\n", "if (n > 3) f%d(p, n);\n", "others(p);\n", "p[0] = n;\n", "n = count;\n",
    "kept = p;\n", "p = kept;\n", "count = n;\n", "void (*g)() = f%d; g();\n", "n = (int)p[0];\n",
    "double q[9]; f%d(q, 9);\n", "double *q = malloc(8 * n); f%d(q, n); free(q);\n", "", " ",
)  # fmt: skip


def function(number: int, random_: random.Random) -> str:
    body = "".join([random_.choice(PIECES) for _ in range(random_.randrange(1, 4))])
    while "%d" in body:
        body = body.replace("%d", str(random_.randrange(FUNCTIONS)), 1)
    storage = random_.choice(("static ", "static ", ""))
    return f"{storage}int f{number}(double *p, int n) {{\n{body}return n;\n}}\n"


def main(random_: random.Random) -> str:
    calls = "".join([f"f{random_.randrange(FUNCTIONS)}(a, n);\n" for _ in range(4)])
    return random_.choice(("", f"int main(void) {{\nint n = 16;\ndouble *a = malloc(8 * n);\n{calls}free(a);\n}}\n"))


def unit(analyzer: Analyzer, text: str) -> TU:
    return analyzer.analyze("x.c", text.encode(), EMPTY_SNAPSHOT, Settings(devices=DEVICES))


@pytest.mark.parametrize("seed", thinned(range(4), 4))
def test_random_edits_of_functions_that_call_each_other(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "SIZE", 100)
    random_ = random.Random(seed)
    declared = "".join(f"int f{k}(double *, int);\n" for k in range(FUNCTIONS))
    parts = [HEAD + declared, GLOBALS[0], *(function(k, random_) for k in range(FUNCTIONS)), main(random_), ""]
    analyzer, before = Analyzer(), ""
    for step in range(40):
        at = random_.randrange(1, len(parts))
        was = parts[at]
        if at == 1:
            parts[at] = random_.choice(GLOBALS)
        elif at == len(parts) - 1:
            parts[at] = random_.choice(ENDS)
        elif at == len(parts) - 2:
            parts[at] = main(random_)
        else:
            parts[at] = random_.choice(
                (function(at - 2, random_), function(at - 2, random_), was.replace("{", "{ "), "")
            )
        text = "".join(parts)
        tu = unit(analyzer, text)
        if step % 3 == 1 and before:  # an older version is looked at again, as fixes on trial do
            assert check(unit(analyzer, before)) == check(unit(Analyzer(), before)), before
        assert check(tu) == check(unit(Analyzer(), text)), text
        before = text
        if random_.random() < 0.3:
            parts[at] = was


def test_a_variable_that_turns_out_to_be_on_devices_is_followed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "SIZE", 100)
    text = (
        "int count;\nint get(void) {\n    return count;\n}\nvoid set(int n) {\n    count = n;\n}\n"
        "int main(void) {\n    int n = 0;\n    set(3);\n#pragma omp target map(from: n)\n    n = get();\n"
        "    return n;\n}\n"
    )
    filling = "".join([f"int f{k}(int n) {{\n    return n + {k};\n}}\n" for k in range(9)])
    analyzer, found = Analyzer(), []
    for end in ("", "#pragma omp declare target(count)\n", ""):
        said = check(unit(analyzer, text + filling + end))
        assert said == check(unit(Analyzer(), text + filling + end))
        found.append({d.rule for d in said})
    assert found[0] == found[2] != found[1]


def test_only_names_that_may_mean_something_else_count_as_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "SIZE", 100)
    functions = "".join([f"static int f{k}(int n) {{\n    return n + {k};\n}}\n" for k in range(20)])
    text = "int f0(int), f3(int);\n" + functions + "int last(int n) {\n    return f3(n);\n}\n"
    analyzer = Analyzer()
    changed = []
    for now in (text, text.replace("n + 7", "n + 8"), text.replace("f3(n)", "f4(n)"), text + "\n", text):
        mark = unit_of(unit(analyzer, now)).mark
        assert mark is not None
        changed.append(mark.changes.since(mark.version - 1))
    assert changed == [None, {"f7"}, {"f7", "last", "f3", "f4"}, {"last", "f3", "f4"}, set()]


def test_what_is_too_long_ago_is_not_compared() -> None:
    changes = Changes()
    around = object()
    changes.step((), around)
    first = changes.version
    tu = unit(Analyzer(), "int a;\n")
    groups = tuple([group for _, group in tu.items.groups])
    for k in range(40):
        changes.step(groups if k % 2 == 0 else (), around)
    assert changes.since(first) is None
    assert changes.since(changes.version - 5) == frozenset(("a", "int"))
    changes.step((), object())
    assert changes.since(changes.version - 1) is None
