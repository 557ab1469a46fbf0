"""Which variables a statement uses, modifies and privatises; which directives stand in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from ompls.analysis.dataenv.jumps import ways_out
from ompls.analysis.dataenv.private import COPYING, WRITTEN_BACK
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import changed_by
from ompls.analysis.model.ast import DirectiveStmt, Node, Symbol, nodes, walk_down_to
from ompls.analysis.model.ctype import Array, Record
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.peel import bare
from ompls.translate.ctext import is_vla


def directives_in(node: Node) -> Iterator[DirectiveStmt]:
    return (n for n in nodes(node) if isinstance(n, DirectiveStmt))


def parallel_in(node: Node) -> list[DirectiveStmt]:
    """The parallel regions in `node` that stand in no other one."""
    return [n for n in walk_down_to(node, is_parallel) if isinstance(n, DirectiveStmt) and is_parallel(n)]


def is_parallel(node: Node) -> bool:
    return isinstance(node, DirectiveStmt) and node.directive.has("parallel")


def clause_exprs(d: Directive) -> Iterator[ast.Expr]:
    for c in d.clauses:
        yield from c.args
        for i in c.items:
            yield i.expr
    for i in d.args:
        yield i.expr


@lru_cache(maxsize=64)
def everything(node: Node) -> tuple[Node, ...]:
    """`nodes(node)` and the expressions in the clauses of the directives on the way."""
    out: list[Node] = []
    for n in nodes(node):
        out.append(n)
        if isinstance(n, DirectiveStmt):
            for e in clause_exprs(n.directive):
                out += e.walk()
    return tuple(out)


def names_in(node: Node) -> Iterator[ast.Name]:
    return (n for n in everything(node) if isinstance(n, ast.Name) and n.symbol is not None)


def declared_in(node: Node) -> set[Symbol]:
    return {n.symbol for n in nodes(node) if isinstance(n, ast.VarDecl)}


def privatised(d: Directive) -> set[Symbol]:
    return listed([d], *COPYING)


def listed(directives: Iterable[Directive], *names: str) -> set[Symbol]:
    """The variables in the lists of these clauses."""
    return {i.symbol for d in directives for c in d.all(*names) for i in c.items if i.symbol is not None}


@lru_cache(maxsize=64)
def modified_in(node: Node) -> frozenset[Symbol]:
    """Variables that are assigned, whose address is taken, or that a clause writes to, in `node`."""
    out: set[Symbol] = set()
    for n in nodes(node):
        if isinstance(n, DirectiveStmt):
            out |= listed([n.directive], *WRITTEN_BACK)
        target = changed_by(n)
        root = root_symbol(target) if target is not None else None
        if root is not None:
            out.add(root)
    return frozenset(out)


def root_symbol(e: ast.Expr) -> Symbol | None:
    """The variable whose own storage `e` designates a part of; None when it goes through a pointer."""
    whole = whole_of(e)
    return whole.symbol if isinstance(whole, ast.Name) else None


def whole_of(e: ast.Expr) -> ast.Expr:
    """The object of which `e` designates a part: what is left without members and elements of arrays."""
    while True:
        e = bare(e)
        if (isinstance(e, ast.Member) and not e.arrow) or (
            isinstance(e, ast.Index) and isinstance(bare(e.base).type, Array) and not is_vla(bare(e.base).type)
        ):
            e = e.base
        else:
            return e


def is_aggregate(s: Symbol) -> bool:
    """Whether it is an array or a record; an array of variable length is a pointer in a kernel."""
    return isinstance(s.type, (Array, Record)) and not is_vla(s.type)


def leaves(node: ast.Node) -> bool:
    """Whether control may go from inside `node` to outside of it other than at its end, or come in."""
    return next(ways_out(node), None) is not None
