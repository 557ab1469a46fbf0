"""What rules may reach: no other rule, and of the file around a declaration only what kept findings are compared by."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from together import together

from ompls.analysis import rules

PACKAGE = Path(rules.__file__).parent
FILES = sorted(PACKAGE.glob("**/*.py"))
# Besides `Unit.told`, the answers to `of_whole`, and functions by their names: all declarations of the file.
ELSEWHERE = frozenset(("contents", "groups", "directives", "late_requires"))
# These make what is compared; the last two ask of directives between declarations, of which nothing is kept.
MAY = {"framework.py", "told.py", "kept.py", "callers.py", "late_requires.py", "mapper_declaration.py"}


def name_of(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def modules(text: str) -> Iterator[str]:
    """The modules that a file imports."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@together("path", FILES, ids=name_of)
def test_no_rule_is_a_library_for_another(path: Path) -> None:
    """What two rules share is in rules/support."""
    others = {f"{rules.__name__}.{rule.replace('-', '_')}" for rule in rules.RULES}
    assert others.isdisjoint(modules(path.read_text()))


def _looked_at(tree: ast.AST) -> Iterator[str]:
    """What is read of units, outside of functions that are decorated with `of_whole`."""
    for node in ast.iter_child_nodes(tree):
        decorators = getattr(node, "decorator_list", ())
        if any(isinstance(d, ast.Name) and d.id == "of_whole" for d in decorators):
            continue
        if isinstance(node, ast.Attribute) and ast.unparse(node.value).split(".")[-1] in ("unit", "program"):
            yield node.attr
        yield from _looked_at(node)


@together("path", [p for p in FILES if p.name not in MAY], ids=name_of)
def test_kept_findings_depend_on_nothing_that_is_not_compared(path: Path) -> None:
    assert ELSEWHERE.isdisjoint(_looked_at(ast.parse(path.read_text())))
