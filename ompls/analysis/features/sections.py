"""The array section that the loops of a construct imply for a pointer: `x[0:n]` from `for (i = 0; i < n; i++) … x[i]`.

A proposal for people, not a proof: it covers the accesses `x[i]`, `x[i ± c]` and `x[i*w + j]` with counters of upward
loops whose bounds mean something outside of them.  One access that is not understood, and there is no proposal.
"""

from __future__ import annotations

from dataclasses import dataclass

from ompls.analysis.model import ast
from ompls.analysis.model.assigned import variable_changed_by
from ompls.analysis.model.ast import Expr, Node, Symbol, walk_all
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.peel import bare, indexed
from ompls.analysis.model.tu import TU, Item


@dataclass(frozen=True, slots=True)
class _Extent:
    """A number of elements: `text` + `more`."""

    text: str
    more: int = 0

    def __str__(self) -> str:
        if not self.text:
            return str(self.more)
        sign = " + " if self.more > 0 else " - "
        return self.text + (f"{sign}{abs(self.more)}" if self.more else "")


class Sections:
    """The proposals for one construct."""

    def __init__(self, tu: TU, item: Item, body: Node) -> None:
        self._tu, self._item = tu, item
        nodes = list(walk_all(body))
        self._local = {n.symbol for n in nodes if isinstance(n, ast.VarDecl)}
        self._changed = {
            s for n in nodes if isinstance(n, (ast.Assign, ast.Unary)) and (s := variable_changed_by(n)) is not None
        }
        self._counters: dict[Symbol, _Extent] = {}
        self._accesses: dict[Symbol, list[Expr]] = {}
        self.used: dict[Symbol, None] = {}  # in order of the first use
        for node in nodes:
            if isinstance(node, ast.For):
                self._loop(node)
            elif isinstance(node, ast.Index):
                base = indexed(node)
                if isinstance(base, ast.Name) and base.symbol is not None:
                    index = node.base if base is node.index else node.index
                    self._accesses.setdefault(base.symbol, []).append(index)
            elif isinstance(node, ast.Name) and node.symbol is not None and node.symbol not in self._local:
                self.used.setdefault(node.symbol)

    def of(self, symbol: Symbol) -> str | None:
        """`[0:n]` for a pointer; None when the accesses do not tell."""
        if not isinstance(symbol.type, Pointer):
            return None
        extents = [self._extent(index) for index in self._accesses.get(symbol, ())]
        known = [e for e in extents if e is not None]
        if not known or len(known) < len(extents) or len({e.text for e in known}) > 1:
            return None
        return f"[0:{max(known, key=lambda e: e.more)}]"

    def _loop(self, loop: ast.For) -> None:
        counter = _counter(loop)
        condition = loop.condition
        if counter is None or not isinstance(condition, ast.Binary) or not _upward(loop.step, counter):
            return
        if not isinstance(condition.left, ast.Name) or condition.left.symbol is not counter:
            return
        bound = self._outside(condition.right)
        if bound is not None and condition.op in ("<", "!="):
            self._note(counter, bound)
        elif bound is not None and condition.op == "<=":
            self._note(counter, _Extent(bound.text, bound.more + 1))

    def _note(self, counter: Symbol, extent: _Extent) -> None:
        """A counter that is used by several loops keeps its bound only if they agree (the larger constant wins)."""
        known = self._counters.get(counter)
        if known is None or known.text == extent.text:
            self._counters[counter] = extent if known is None or extent.more > known.more else known
        else:
            self._counters[counter] = _Extent("?")

    def _extent(self, index: Expr) -> _Extent | None:
        """One more than the largest value of an index."""
        index = bare(index)
        value = fold(index)
        if value is not None:
            return _Extent("", value + 1) if value >= 0 else None
        if isinstance(index, ast.Name) and index.symbol in self._counters:
            found = self._counters[index.symbol]
            return found if found.text != "?" else None
        if not isinstance(index, ast.Binary) or index.op not in ("+", "-"):
            return None
        offset = fold(index.right)
        if offset is not None:
            inner = self._extent(index.left)
            return inner and _Extent(inner.text, inner.more + (offset if index.op == "+" else -offset))
        if index.op == "-":
            return None
        return self._row(index.left, index.right) or self._row(index.right, index.left)

    def _row(self, product: Expr, column: Expr) -> _Extent | None:
        """`i*w + j`: rows times width."""
        product = bare(product)
        if not isinstance(product, ast.Binary) or product.op != "*" or self._extent(column) is None:
            return None
        for row, width in ((product.left, product.right), (product.right, product.left)):
            rows, columns = self._extent(row), self._outside(width)
            if rows is not None and columns is not None and fold(row) is None:
                if not rows.text and not columns.text:
                    return _Extent("", rows.more * columns.more)
                return _Extent(f"{_factor(rows)} * {_factor(columns)}")
        return None

    def _outside(self, expr: Expr) -> _Extent | None:
        """An expression that means the same before the construct, as the user wrote it."""
        expr = bare(expr)
        for node in walk_all(expr):
            if isinstance(node, (ast.Call, ast.Assign, ast.OtherExpr, ast.StatementExpr)):
                return None
            if isinstance(node, ast.Name) and (node.symbol is None or node.symbol in self._local | self._changed):
                return None
        if isinstance(expr, ast.Binary) and expr.op in ("+", "-"):
            offset = fold(expr.right)
            inner = self._outside(expr.left) if offset is not None and self._written(expr.left) else None
            if inner is not None and offset is not None:
                return _Extent(inner.text, inner.more + (offset if expr.op == "+" else -offset))
        if isinstance(expr, ast.IntLiteral) and self._text(expr) == expr.text:
            return _Extent("", expr.value)
        text = self._text(expr)
        return _Extent(text) if isinstance(expr, (ast.Name, ast.IntLiteral, ast.Member)) else _Extent(f"({text})")

    def _written(self, expr: Expr) -> bool:
        """Whether the user wrote the expression himself: no macro made it."""
        where = self._tu.locate(self._item, expr.span)
        return where.end - where.start == expr.span.end - expr.span.start

    def _text(self, expr: Expr) -> str:
        where = self._tu.locate(self._item, expr.span)
        if where.path == self._tu.path:
            written = self._tu.source[where.start : where.end].decode("utf-8", "replace")
            if "\n" not in written and "//" not in written:
                return written
        return self._tu.text(self._item, expr.span)


def _counter(loop: ast.For) -> Symbol | None:
    init = loop.init
    if isinstance(init, ast.DeclStmt) and len(init.decls) == 1:
        return init.decls[0].symbol
    if isinstance(init, ast.ExprStmt) and isinstance(init.expr, ast.Assign) and isinstance(init.expr.target, ast.Name):
        return init.expr.target.symbol
    return None


def _upward(step: Expr | None, counter: Symbol) -> bool:
    if isinstance(step, ast.Unary) and step.op == "++":
        return _named(step.operand, counter)
    if isinstance(step, ast.Assign) and _named(step.target, counter):
        value = bare(step.value)
        if step.op == "=" and isinstance(value, ast.Binary) and value.op == "+":
            return _named(value.left, counter) or _named(value.right, counter)
        return step.op == "+="
    return False


def _named(expr: Expr, symbol: Symbol) -> bool:
    return isinstance(expr, ast.Name) and expr.symbol is symbol


def _factor(extent: _Extent) -> str:
    return f"({extent})" if extent.text and extent.more else str(extent)
