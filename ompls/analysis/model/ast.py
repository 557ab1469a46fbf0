"""The syntax tree that every reader shares: C statements and expressions with OpenMP directives in place.

Built by `syntax/` from the grammar's tree, completed (names, types) by `model/sema`, never changed after that.
A node's `span` counts bytes from the start of its *external declaration* (`Item`), so that an unchanged
function keeps its tree when lines above it change.  `Item.start` turns it into an offset of the expanded text.
What is not understood is an `OtherExpr`/`OtherStmt` that keeps its children: it narrows what is said, no more.
"""
# ruff: noqa: PLC0414 -- readers find nodes, and what they are, in one place

from __future__ import annotations

from collections.abc import Container, Iterator, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from ompls.analysis.model.ctype import UNKNOWN, CType
from ompls.analysis.model.node import LEAVES
from ompls.analysis.model.node import Node as Node
from ompls.analysis.model.node import Span as Span
from ompls.analysis.model.node import nodes as nodes
from ompls.analysis.model.node import walk_down_to as walk_down_to

if TYPE_CHECKING:
    from ompls.analysis.model.omp import Directive


N = TypeVar("N", bound="Node")


# --- symbols -----------------------------------------------------------------------------------------------------

SymbolKind = Literal["var", "param", "func", "typedef", "enumconst"]


@dataclass(slots=True, eq=False)
class Symbol:
    """One declared name.  Compared by identity.  `span` is its declarator's, in its item (None: from a header)."""

    name: str
    kind: SymbolKind
    type: CType
    storage: Literal["", "static", "extern", "register", "auto", "typedef"] = ""
    level: Literal["file", "param", "block"] = "block"
    span: Span | None = None
    init: Expr | None = None
    value: int | None = None  # an enumeration constant's
    defined: bool = False  # func: has a body here; file-scope var: not only `extern`
    inline: bool = False
    thread_local: bool = False
    from_system_header: bool = False
    # Set from `declare target` directives: '' none, 'enter' (also `to`), 'link'; functions: 'enter'
    declare_target: Literal["", "enter", "link"] = ""


# --- expressions -------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Expr(Node):
    type: CType = field(default=UNKNOWN, kw_only=True)  # before array-to-pointer decay


@dataclass(slots=True, eq=False)
class Name(Expr):
    name: str
    symbol: Symbol | None = None


@dataclass(slots=True, eq=False)
class IntLiteral(Expr):
    value: int
    text: str


@dataclass(slots=True, eq=False)
class FloatLiteral(Expr):
    text: str


@dataclass(slots=True, eq=False)
class CharLiteral(Expr):
    value: int
    text: str


@dataclass(slots=True, eq=False)
class StringLiteral(Expr):
    text: str  # adjacent literals as written


@dataclass(slots=True, eq=False)
class Paren(Expr):
    inner: Expr


@dataclass(slots=True, eq=False)
class Unary(Expr):
    op: str  # + - ! ~ * & ++ -- __real__ __imag__ &&(label)
    operand: Expr
    postfix: bool = False


@dataclass(slots=True, eq=False)
class Binary(Expr):
    op: str  # also ','
    left: Expr
    right: Expr


FLAT = frozenset(("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "&&", "||", ","))


def chain(e: Binary, ops: Container[str] = FLAT) -> list[Binary]:
    """The operators of `a + b - c`, which group to the left, from the inside: `e` and those on its left of `ops`.

    Chains of FLAT operators may be longer than Python's recursion is deep: who goes to the left goes along this.
    Ladders of `else if` and of conditional expressions may be, too; all else nests no deeper than the reader allows.
    """
    found = [e]
    left = e.left
    while isinstance(left, Binary) and left.op in ops:
        found.append(left)
        left = left.left
    found.reverse()
    return found


@dataclass(slots=True, eq=False)
class Assign(Expr):
    op: str  # = += ...
    target: Expr
    value: Expr


@dataclass(slots=True, eq=False)
class Conditional(Expr):
    condition: Expr
    then: Expr | None  # None: GNU a ?: b
    otherwise: Expr


@dataclass(slots=True, eq=False)
class Call(Expr):
    function: Expr
    args: tuple[Expr, ...]


@dataclass(slots=True, eq=False)
class Index(Expr):
    base: Expr
    index: Expr


@dataclass(slots=True, eq=False)
class Section(Expr):
    """An array section `base[lower:length:stride]` (clauses only).  A missing part is None."""

    base: Expr
    lower: Expr | None
    length: Expr | None
    stride: Expr | None = None


@dataclass(slots=True, eq=False)
class Shaping(Expr):
    """A shape-operator `([n][m])p` (clauses only)."""

    dims: list[Expr]
    operand: Expr


@dataclass(slots=True, eq=False)
class Member(Expr):
    base: Expr
    field: str
    arrow: bool
    field_span: Span


@dataclass(slots=True, eq=False)
class Cast(Expr):
    type_span: Span  # between the parentheses
    to: CType
    operand: Expr
    keeps_step: bool = False  # of a pointer: it counts in elements of the same size as before


@dataclass(slots=True, eq=False)
class SizeOf(Expr):
    op: str  # sizeof, _Alignof, __alignof__
    operand: Expr | None
    of: CType  # the operand's type
    type_span: Span | None = None  # of a type operand, between the parentheses
    size: int | None = None  # in bytes on the host, when it is constant


@dataclass(slots=True, eq=False)
class CompoundLiteral(Expr):
    type_span: Span
    of: CType
    init: InitList


@dataclass(slots=True, eq=False)
class InitList(Expr):
    """elements -- the values; the index expressions of a designator precede its value
    places -- for each, the number of the element (the member, as `layout.initialised` counts) that it gives a value,
              or a part of one; -1: it is an index expression
    """

    elements: list[Expr]
    places: list[int]


@dataclass(slots=True, eq=False)
class StatementExpr(Expr):
    body: Compound


@dataclass(slots=True, eq=False)
class Generic(Expr):
    control: Expr
    chosen: Expr | None
    others: list[Expr]  # those that are not chosen


@dataclass(slots=True, eq=False)
class OtherExpr(Expr):
    """Not understood (a syntax error, a builtin with a type argument, …): UNKNOWN unless sema knows better.

    why -- it was not read, and this is why: what it uses is not known
    """

    parts: list[Expr]
    why: str = field(default="", kw_only=True)


# --- statements --------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Stmt(Node):
    pass


@dataclass(slots=True, eq=False)
class Compound(Stmt):
    items: tuple[Stmt, ...]


@dataclass(slots=True, eq=False)
class ExprStmt(Stmt):
    expr: Expr | None


@dataclass(slots=True, eq=False)
class VarDecl(Node):
    """One declarator of a declaration."""

    symbol: Symbol
    name_span: Span
    init: Expr | None
    dims: tuple[Expr, ...]  # the array lengths in the declarator, outermost first (for VLAs and for what they read)


@dataclass(slots=True, eq=False)
class DeclStmt(Stmt):
    decls: tuple[VarDecl, ...]
    specifiers: Span  # `static const struct s {…}` without declarators


@dataclass(slots=True, eq=False)
class If(Stmt):
    condition: Expr
    then: Stmt
    otherwise: Stmt | None


@dataclass(slots=True, eq=False)
class While(Stmt):
    condition: Expr
    body: Stmt


@dataclass(slots=True, eq=False)
class DoWhile(Stmt):
    body: Stmt
    condition: Expr


@dataclass(slots=True, eq=False)
class For(Stmt):
    init: DeclStmt | ExprStmt | None
    condition: Expr | None
    step: Expr | None
    body: Stmt


@dataclass(slots=True, eq=False)
class Switch(Stmt):
    condition: Expr
    body: Stmt


@dataclass(slots=True, eq=False)
class Case(Stmt):
    value: Expr | None  # None: default
    high: Expr | None  # GNU range
    body: Stmt | None


@dataclass(slots=True, eq=False)
class Labeled(Stmt):
    name: str
    body: Stmt | None


@dataclass(slots=True, eq=False)
class Jump(Stmt):
    kind: Literal["break", "continue", "goto", "return"]
    label: str = ""
    value: Expr | None = None


@dataclass(slots=True, eq=False)
class DirectiveStmt(Stmt):
    """An executable directive with the statement it applies to (None when it is stand-alone or nothing follows).

    `span` runs from the directive's `#` (or `_Pragma`) to the end of the body.
    """

    directive: Directive
    body: Stmt | None

    def nodes(self, kind: type[N]) -> list[N]:
        """Nodes of one class, out of those that `walk` gives: many rules look for something in a region.

        They are kept for a while, so this is for readers of the finished tree.
        """
        found: list[Any] = _by_class(self).get(kind, [])
        return found

    def kinds(self) -> Set[type]:
        """The classes of these nodes."""
        return _by_class(self).keys()


@lru_cache(maxsize=64)
def _by_class(stmt: DirectiveStmt) -> dict[type, list[Node]]:
    found: dict[type, list[Node]] = {}
    for node in stmt.walk():
        found.setdefault(type(node), []).append(node)
    return found


@dataclass(slots=True, eq=False)
class OtherStmt(Stmt):
    """Not understood (a parse error, a nested function, …); `why`: it was not read, as with OtherExpr."""

    parts: list[Node]
    why: str = field(default="", kw_only=True)


@dataclass(slots=True, eq=False)
class AsmStmt(OtherStmt):
    """Inline assembly; `parts` are its operands, of an output its address.

    empty -- it has no instructions and changes no operand: it only keeps the compiler from reordering or leaving out
    """

    empty: bool


@dataclass(slots=True, eq=False)
class FunctionDef(Node):
    symbol: Symbol
    params: tuple[Symbol, ...]
    body: Compound
    name_span: Span
    header: Span  # from the specifiers to just before the body


@dataclass(slots=True, eq=False)
class Declaration(Node):
    """A declaration at file scope (variables, prototypes, typedefs, tags)."""

    decls: list[VarDecl]


def walk_all(node: Node) -> Iterator[Node]:
    """As `Node.walk`, and through the clauses of directives too."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        if type(node) in LEAVES:
            continue
        below = node.children()
        if isinstance(node, DirectiveStmt):
            clauses = node.directive.clauses
            below = [*(e for c in clauses for e in (*(i.expr for i in c.items), *c.args)), *below]
        below.reverse()
        waiting += below
