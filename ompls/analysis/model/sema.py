"""Types of expressions.

`finish` types one node whose operands are typed (the adapter calls it bottom-up as it builds); `complete` does that
for a whole untyped tree (the expressions of clauses, which the pragma grammar builds without knowing names).
Nothing raises: what cannot be typed is UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ompls.analysis.encoding import encoded
from ompls.analysis.model import ast, literals
from ompls.analysis.model.builtins import builtin_result
from ompls.analysis.model.constants import fold
from ompls.analysis.model.convert import (
    arithmetic,
    conditional,
    decay,
    is_arithmetic,
    owner,
    promote,
    qualify,
    unqualified,
)
from ompls.analysis.model.ctype import (
    INT,
    UNKNOWN,
    VOID,
    Array,
    CType,
    Floating,
    Function,
    Integer,
    Pointer,
    Record,
    Unknown,
    innermost,
    shared,
)
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.layout import alignof, find_member, preferred_alignof, sizeof
from ompls.analysis.model.peel import bare
from ompls.analysis.model.scope import FileScope, Scope

_COMPARE = frozenset(("==", "!=", "<", ">", "<=", ">=", "&&", "||"))
_INTEGER_ONLY = frozenset(("%", "&", "|", "^"))
_NULL_CASTS = (Pointer(VOID),)

FUNCTION_NAMES = ("__func__", "__FUNCTION__", "__PRETTY_FUNCTION__")  # of the function around

_RESERVED = ("omp_all_memory", "omp_cur_iteration")  # locators that need no declaration (5.2 §3.2.1, §15.9.5)


class Sema:
    """Typing in one item.  `scope` is the innermost scope of the point that is being read.

    undeclared -- the names that nothing declares, in the order in which they were met
    unknown_members -- the members that no structure has where they are named
    """

    def __init__(self, file: FileScope) -> None:
        self.file = file
        self.model = file.model
        self.scope: Scope | FileScope = file
        self.function: str = ""
        self.undeclared: list[ast.Name] = []
        self.unknown_members: list[ast.Member] = []

    def members_known(self, record: Record) -> bool:
        """Whether `record` is complete at this point of this version of the unit."""
        return self.file.members_known(record.body)

    def member(self, t: CType, name: str) -> tuple[CType, int | None]:
        """(type, bit-field width) of member `name` in an object of type `t`."""
        if not isinstance(t, Record) or not self.members_known(t):
            return UNKNOWN, None
        found = find_member(t, name)
        if found is None:
            return UNKNOWN, None
        return qualify(found.type, t.quals - {"_Atomic"}), found.bits

    def size_of(self, t: CType, asked: Callable[[CType, DataModel], int | None] = sizeof) -> int | None:
        """The size of an object of type `t`, or what else is `asked`; None where its structure is not complete."""
        of = innermost(t)
        return None if isinstance(of, Record) and not self.members_known(of) else asked(t, self.model)

    def finish(self, e: ast.Expr) -> None:
        """Type `e` from the types of its operands."""
        typer = _TYPERS.get(type(e))
        if typer is not None:
            e.type = typer(self, e)

    def complete(self, e: ast.Node) -> None:
        """Look up the names in the untyped tree `e` and type it, bottom-up."""
        for n in reversed(list(e.walk())):
            if isinstance(n, ast.Name) and n.symbol is None:
                n.symbol = self.scope.lookup(n.name)
            if isinstance(n, ast.Expr):
                self.finish(n)

    def promoted(self, e: ast.Expr) -> CType:
        """The promoted type of operand `e`, which may be a bit-field."""
        return promote(decay(e.type), self._bits(e))

    def _bits(self, e: ast.Expr) -> int | None:
        e = bare(e)
        if isinstance(e, ast.Member):
            return self.member(owner(e.base.type, e.arrow), e.field)[1]
        return None


def is_null_constant(e: ast.Expr) -> bool:
    """Whether `e` is a null pointer constant (C11 §6.3.2.3p3)."""
    e = bare(e)
    if isinstance(e, ast.Cast) and e.to in _NULL_CASTS:
        return is_null_constant(e.operand)
    return isinstance(e.type, Integer) and fold(e) == 0


def _name(s: Sema, e: ast.Name) -> CType:
    symbol = e.symbol
    if symbol is not None:
        return UNKNOWN if symbol.kind == "typedef" else symbol.type
    if e.name in FUNCTION_NAMES and s.function:
        return Array(qualify(s.model.integer("char"), frozenset(("const",))), len(encoded(s.function)) + 1)
    if "(" in e.name:
        return UNKNOWN  # `typeof(…)` and the like, which are read as one word (syntax/mask.py)
    if e.name not in _RESERVED and not (e.name.startswith("omp_") and s.file.lookup("omp_get_num_threads")):
        s.undeclared.append(e)  # a later version's <omp.h> may have more names than the one that is included
    return UNKNOWN


def _number(s: Sema, e: ast.IntLiteral | ast.FloatLiteral) -> CType:
    return literals.number(e.text, s.model)[0]


def _character(s: Sema, e: ast.CharLiteral) -> CType:
    t, e.value = literals.character(e.text, s.model)
    return t


def _unary(s: Sema, e: ast.Unary) -> CType:
    t = e.operand.type
    if e.op == "&&":
        return Pointer(VOID)
    if isinstance(t, Unknown):
        return INT if e.op == "!" else UNKNOWN
    if e.op == "&":
        return Pointer(t)
    if e.op == "*":
        pointer = decay(t)
        return pointer.to if isinstance(pointer, Pointer) else UNKNOWN
    if e.op == "!":
        return INT
    if e.op in ("++", "--"):
        return unqualified(t)
    if e.op in ("__real__", "__imag__"):
        return Floating(t.kind) if isinstance(t, Floating) else unqualified(t)
    return s.promoted(e.operand) if is_arithmetic(t) else UNKNOWN


def _binary(s: Sema, e: ast.Binary) -> CType:
    op, a, b = e.op, decay(e.left.type), decay(e.right.type)
    if op == ",":
        return b
    if op in _COMPARE:
        return INT
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return UNKNOWN
    a, b = s.promoted(e.left), s.promoted(e.right)
    if op in ("<<", ">>"):
        return a if isinstance(a, Integer) else UNKNOWN
    if isinstance(a, Pointer):
        if isinstance(b, Pointer):
            return s.model.integer(s.model.difference_type) if op == "-" else UNKNOWN
        return a if op in "+-" else UNKNOWN
    if isinstance(b, Pointer):
        return b if op == "+" else UNKNOWN
    result = arithmetic(a, b)
    return UNKNOWN if op in _INTEGER_ONLY and isinstance(result, Floating) else result


def _assign(_s: Sema, e: ast.Assign) -> CType:
    return unqualified(e.target.type)


def _conditional(s: Sema, e: ast.Conditional) -> CType:
    then = e.condition if e.then is None else e.then
    a = s.promoted(then) if s._bits(then) is not None else decay(then.type)
    b = s.promoted(e.otherwise) if s._bits(e.otherwise) is not None else decay(e.otherwise.type)
    return conditional(a, b, is_null_constant(then), is_null_constant(e.otherwise))


def _call(s: Sema, e: ast.Call) -> CType:
    callee = bare(e.function)
    if isinstance(callee, ast.Name) and callee.symbol is None:
        s.undeclared = [name for name in s.undeclared if name is not callee]  # the call declares it
        known = builtin_result(callee.name, [decay(a.type) for a in e.args], s.model)
        if known is None and not s.file.calls_give_int():
            return UNKNOWN
        result = INT if known is None else known
        callee.type = Function(result, (), prototype=False)
        return result
    t: CType = decay(e.function.type)
    if isinstance(t, Pointer):
        t = t.to
    return unqualified(t.returns) if isinstance(t, Function) else UNKNOWN


def _index(_s: Sema, e: ast.Index) -> CType:
    for t in (decay(_base_type(e.base)), decay(e.index.type)):
        if isinstance(t, Pointer):
            return t.to
    return UNKNOWN


def _member(s: Sema, e: ast.Member) -> CType:
    of = s.member(owner(e.base.type, e.arrow), e.field)[0]
    if isinstance(of, Unknown) and _is_unknown(s, e):
        s.unknown_members.append(e)
    return of


def _is_unknown(s: Sema, e: ast.Member) -> bool:
    """Whether certainly nothing has the member: all of the structure is understood, or it is asked as a pointer is."""
    t = e.base.type
    if isinstance(owner(t, e.arrow), Unknown) or (isinstance(t, Pointer) and not e.arrow):
        t = owner(t, not e.arrow)  # `.` of a pointer, `->` of a structure
        return isinstance(t, Record)
    t = owner(t, e.arrow)
    return isinstance(t, Record) and t.body.whole and s.members_known(t) and find_member(t, e.field) is None


def _section(_s: Sema, e: ast.Section) -> CType:
    """The array type of the section in its own dimension; its length is None when it is not constant."""
    base = decay(_base_type(e.base))
    if not isinstance(base, Pointer):
        return UNKNOWN
    length = fold(e.length)
    return shared(Array(base.to, length, vla=length is None))


def _base_type(e: ast.Expr) -> CType:
    """What a subscript after `e` is applied to: after a section, to one element of it."""
    return e.type.of if isinstance(e, ast.Section) and isinstance(e.type, Array) else e.type


def _shaping(_s: Sema, e: ast.Shaping) -> CType:
    pointer = decay(e.operand.type)
    if not isinstance(pointer, Pointer):
        return UNKNOWN
    t = pointer.to
    for dim in reversed(e.dims):
        length = fold(dim)
        t = Array(t, length, vla=length is None)
    return t


def _sizeof(s: Sema, e: ast.SizeOf) -> CType:
    if e.operand is not None:
        e.of = e.operand.type
    e.size = s.size_of(e.of, sizeof if e.op == "sizeof" else preferred_alignof if e.op[1] == "_" else alignof)
    return s.model.integer(s.model.size_type)


def _cast(s: Sema, e: ast.Cast) -> CType:
    before = decay(e.operand.type)
    if isinstance(e.to, Pointer) and isinstance(before, Pointer):
        step = s.size_of(before.to)
        e.keeps_step = step is not None and step == s.size_of(e.to.to)
    return unqualified(e.to)


def _statement_expr(_s: Sema, e: ast.StatementExpr) -> CType:
    last: ast.Stmt | None = e.body.items[-1] if e.body.items else None
    while isinstance(last, ast.Labeled):
        last = last.body
    if isinstance(last, ast.ExprStmt) and last.expr is not None:
        return decay(last.expr.type)
    return UNKNOWN if isinstance(last, ast.OtherStmt) else VOID


def _generic(_s: Sema, e: ast.Generic) -> CType:
    return e.chosen.type if e.chosen is not None else UNKNOWN


_TYPERS: dict[type[ast.Node], Callable[[Sema, Any], CType]] = {
    ast.Name: _name,
    ast.IntLiteral: _number,
    ast.FloatLiteral: _number,
    ast.CharLiteral: _character,
    ast.StringLiteral: lambda s, e: literals.string(e.text, s.model),
    ast.Paren: lambda _s, e: e.inner.type,
    ast.Unary: _unary,
    ast.Binary: _binary,
    ast.Assign: _assign,
    ast.Conditional: _conditional,
    ast.Call: _call,
    ast.Index: _index,
    ast.Member: _member,
    ast.Section: _section,
    ast.Shaping: _shaping,
    ast.Cast: _cast,
    ast.SizeOf: _sizeof,
    ast.CompoundLiteral: lambda _s, e: e.of,
    ast.StatementExpr: _statement_expr,
    ast.Generic: _generic,
}
