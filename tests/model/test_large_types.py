"""Types that nobody could print or compare are not followed, and a note says so; trees hold each node once."""

from __future__ import annotations

import pytest

from ompls.analysis import notes
from ompls.analysis.model import ast
from ompls.analysis.model.ctype import UNKNOWN

from .support import analyze

CHAINS = {
    "functions of the one before": "typedef int (*t0)(int);\n"
    + "".join(f"typedef t{k} (*t{k + 1})(t{k}, t{k});\n" for k in range(40)),
    "pointers to the one before": "typedef int t0;\n" + "".join(f"typedef t{k} *t{k + 1};\n" for k in range(2000)),
    "arrays of the one before": "typedef int t0;\n" + "".join(f"typedef t{k} t{k + 1}[1];\n" for k in range(2000)),
    "addresses of the one before": "int t0;\n" + "".join(f"__typeof__(&t{k}) t{k + 1};\n" for k in range(2000)),
}


@pytest.mark.parametrize("name", CHAINS)
def test_chains(name: str) -> None:
    tu = analyze(CHAINS[name] + "t9 *last; int size = sizeof(last);\n")
    first = next(k for k in range(2000) if (s := tu.symbols.get(f"t{k}")) is not None and s.type == UNKNOWN)
    said = [d for d in notes.diagnostics(tu) if d.rule == "analysis-incomplete"]
    assert said[0].message == (
        f"the type of 't{first}' is not followed: written out it has more than 1000 parts, or 120 levels"
    )


def test_an_association_is_in_the_tree_once() -> None:
    deep = "_Generic(x, int: " * 60 + "1" + ", default: 2)" * 60
    tu = analyze(f"int f(int x) {{ return {deep}; }}\n")
    nodes = list(tu.items[0].content.node.walk())
    assert len([n for n in nodes if isinstance(n, ast.Generic)]) == 60
