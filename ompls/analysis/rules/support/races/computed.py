"""Indices that are worked out from data, for which there is no polynomial: `hist[bin(x[i]) % 16]`, `hist[(int)x[i]]`,
`hist[b > 7 ? 7 : b]`.

What such an index can be is read off its text: that of a remainder, a mask or a narrow type has few values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ompls.analysis.dataenv.access import Access
from ompls.analysis.dataenv.called import known_of
from ompls.analysis.dataenv.paths import is_address, root
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_by, assigned_in, changed_by, variable_changed_by
from ompls.analysis.model.ast import DirectiveStmt, Expr, Node, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Integer
from ompls.analysis.model.node import walk_down_to
from ompls.analysis.model.peel import bare
from ompls.analysis.model.tu import Content

Interval = tuple[int, int]  # both inclusive
Functions = Mapping[str, Content]
Own = Mapping[Symbol, Sequence[Expr]]  # variables of a construct's own, and what their values come from
_DEEP = 3  # calls, and variables that are declared with one another


@dataclass(frozen=True, slots=True)
class Index:
    """The index of an update that is a function of data.

    parts -- as they are written: two of `a[k][l]`
    made_of -- these, and what the values of their variables come from
    """

    parts: tuple[Expr, ...]
    made_of: tuple[Expr, ...]
    own: Own

    def loads(self) -> Iterator[Expr]:
        """The elements of arrays that it comes from."""
        return (n for e in self.made_of for n in e.walk() if isinstance(n, Expr) and _is_load(n))

    def beside(self) -> set[Symbol]:
        """What it comes from besides data: `n` and `i` of `n * i + bin(x[i])`, not of `bin(x[n * i])`."""
        values = _made_of(self.parts, self.own, _is_load)
        names = (n for e in values for n in walk_down_to(e, _is_load) if isinstance(n, ast.Name))
        return {n.symbol for n in names if n.symbol is not None and n.symbol not in self.own}


def index_of(access: Access, stmt: DirectiveStmt, functions: Functions) -> Index | None:
    """The index of an update of `a[k]`, when it is a function of data that nobody changes in `stmt`.

    None too for what a call might learn from elsewhere, such as the thread's number or a ticket.
    """
    target = assigned_by(access.by) if access.by is not None else None
    base = root(target) if target is not None else None
    if target is None or base is not access.symbol or access.inner is not None or base in assigned_in(stmt):
        return None
    own = _own(stmt)
    parts = tuple(_indices(bare(target)))
    made_of = tuple(_made_of(parts, own))
    index = Index(parts, made_of, own)
    changed = _changed(stmt) - own.keys()
    return index if any(index.loads()) and all(_is_computed(e, changed, functions) for e in made_of) else None


def _indices(target: Expr) -> Iterator[Expr]:
    """The subscripts of an lvalue, `k` of `*(a + k)` too."""
    while isinstance(target, (ast.Index, ast.Member, ast.Unary)):
        at = bare(target.operand if isinstance(target, ast.Unary) else target.base)
        if isinstance(target, ast.Index):
            yield bare(target.index)
        elif isinstance(target, ast.Unary) and isinstance(at, ast.Binary):
            yield bare(at.right)
            at = bare(at.left)
        target = at


def interval_of(expr: Expr, own: Own, deep: int = _DEEP) -> Interval | None:
    """Between what the values of an integer expression lie; None: not known to be few."""
    expr = bare(expr)
    value = fold(expr)
    if value is not None:
        return value, value
    match expr:
        case ast.Binary(op="%" | "&"):
            by = fold(expr.right)
            inner = interval_of(expr.left, own, deep)
            if by is None or by <= 0:
                return None
            if expr.op == "&" or _is_unsigned(expr.left) or (inner is not None and inner[0] >= 0):
                return 0, by - (expr.op == "%")
            return 1 - by, by - 1
        case ast.Binary(op="+" | "-"):
            a, b = interval_of(expr.left, own, deep), interval_of(expr.right, own, deep)
            if a is None or b is None:
                return None
            return (a[0] + b[0], a[1] + b[1]) if expr.op == "+" else (a[0] - b[1], a[1] - b[0])
        case ast.Binary(op="<" | ">" | "<=" | ">=" | "==" | "!=" | "&&" | "||"):
            return 0, 1
        case ast.Cast() if isinstance(expr.type, Integer):
            inner = interval_of(expr.operand, own, deep)
            narrow = _of_type(expr)
            return narrow if inner is None or (narrow is not None and inner[0] < narrow[0]) else inner
        case ast.Conditional() if expr.then is not None:
            a, b = interval_of(expr.then, own, deep), interval_of(expr.otherwise, own, deep)
            return (min(a[0], b[0]), max(a[1], b[1])) if a is not None and b is not None else _of_type(expr)
        case ast.Name() if deep and expr.symbol is not None and expr.symbol.init is not None:
            # `_is_computed` has seen that nothing else sets it, if it is not the construct's own.
            if expr.symbol.level == "block" and len(own.get(expr.symbol, ())) <= 1:
                return interval_of(expr.symbol.init, own, deep - 1)
    return _of_type(expr)


def _of_type(expr: Expr) -> Interval | None:
    kind = expr.type
    if not isinstance(kind, Integer) or kind.size != 1:
        return None
    return (-128, 127) if kind.signed else (0, 1 if kind.kind == "_Bool" else 255)


def _is_unsigned(expr: Expr) -> bool:
    return isinstance(expr.type, Integer) and not expr.type.signed


def _is_load(node: Node) -> bool:
    return isinstance(node, ast.Index) or (isinstance(node, ast.Unary) and node.op == "*")


def _made_of(parts: Iterable[Expr], own: Own, closed: Callable[[Node], bool] = lambda _: False) -> Iterator[Expr]:
    """The expressions, what the values of their variables come from, and so on; not of those below `closed` nodes.

    What a pointer from outside was set to says where the data are, and nothing about them.
    """
    waiting, seen = [*parts], set[Symbol]()
    while waiting:
        part = waiting.pop()
        yield part
        for node in walk_down_to(part, closed):
            symbol = node.symbol if isinstance(node, ast.Name) else None
            if symbol is None or symbol.level != "block" or symbol in seen:
                continue
            seen.add(symbol)
            if symbol in own:
                waiting += own[symbol]
            elif symbol.init is not None and not is_address(symbol.type):
                waiting.append(symbol.init)


def _own(stmt: DirectiveStmt) -> dict[Symbol, list[Expr]]:
    """The variables that `stmt` declares, with what they get and what decides that: `int b = x[i]; if (b > 7) b = 7;`.

    Not those that a loop inside computes: the number of smaller elements is a place of one's own.
    """
    found = {s: [s.init] if s.init is not None else [] for s in _declared(stmt) if s.storage != "static"}
    for node in stmt.walk():
        target = changed_by(node)
        symbol = root(target) if target is not None else None
        if target is not None and symbol in found:
            if variable_changed_by(node) is symbol and assigned_by(node) is not None:
                found[symbol].append(node.value if isinstance(node, ast.Assign) else target)
            else:
                del found[symbol]  # a part of it, or somebody else has its address
        elif isinstance(node, (ast.For, ast.While, ast.DoWhile)):
            for symbol in assigned_in(node) - _declared(node.body):
                found.pop(symbol, None)
        elif isinstance(node, (ast.If, ast.Switch)):
            for symbol in found.keys() & (assigned_in(node) - _declared(node)):
                found[symbol].append(node.condition)
    return found


def _declared(node: Node) -> set[Symbol]:
    return {n.symbol for n in node.walk() if isinstance(n, ast.VarDecl)}


def _changed(stmt: DirectiveStmt) -> set[Symbol]:
    """What `stmt` sets but where it declares it, elements of arrays included; loops' variables are left out."""
    found: set[Symbol] = set()
    steps = [n.step for n in stmt.walk() if isinstance(n, ast.For) and n.step is not None]
    counting = {id(n) for step in steps for n in step.walk()}
    counting |= {id(n) for f in stmt.walk() if isinstance(f, ast.For) and f.init is not None for n in f.init.walk()}
    for n in stmt.walk():
        target = changed_by(n)
        symbol = root(target) if target is not None and id(n) not in counting else None
        if symbol is not None:
            found.add(symbol)
    return found


def _is_computed(expr: Expr, changed: set[Symbol], functions: Functions) -> bool:
    """Whether nothing goes into a value but variables that stay as they are, and functions of these."""
    for node in expr.walk():
        if assigned_by(node) is not None or isinstance(node, ast.StatementExpr):
            return False
        if isinstance(node, ast.Name) and node.symbol in changed:
            return False
        if isinstance(node, ast.Call) and not _is_function_of_arguments(node, functions, _DEEP):
            return False
    return True


def _is_function_of_arguments(call: ast.Call, functions: Functions, deep: int) -> bool:
    """Whether a called function uses nothing but its arguments: one of the unit, or one that is known."""
    name = call.function.name if isinstance(call.function, ast.Name) else ""
    content = functions.get(name)
    known = known_of(call) if content is None else None
    if known is not None:
        return known.pure
    if content is None or not deep or not isinstance(content.node, ast.FunctionDef) or not call.args:
        return False
    for node in content.node.body.walk():
        if isinstance(node, (DirectiveStmt, ast.Index, ast.Member)) or (isinstance(node, ast.Unary) and node.op == "*"):
            return False
        symbol = node.symbol if isinstance(node, ast.Name) else None
        if symbol is not None and symbol.kind == "var" and (symbol.level == "file" or symbol.storage == "static"):
            return False
        if isinstance(node, ast.Call) and not _is_function_of_arguments(node, functions, deep - 1):
            return False
    return True
