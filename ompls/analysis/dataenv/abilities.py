"""What a piece of a program needs of the device that runs it, by the keys of `spec/devices/abilities.py`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Node, Span
from ompls.analysis.model.convert import owner
from ompls.analysis.model.ctype import UNKNOWN, Array, CType, Floating, Function, Integer, Pointer, Record, held
from ompls.analysis.model.declare import declare
from ompls.analysis.model.layout import find_member
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.model.peel import bare
from ompls.analysis.spec.devices import ABILITIES

_ALLOCAS = ("alloca", "__builtin_alloca", "__builtin_alloca_with_align")
_VARIABLE_ARGUMENTS = ("__builtin_va_start", "__builtin_va_arg", "va_start", "va_arg")
_TYPES = {
    "long double": "type long double", "_Float128": "type _Float128", "__int128": "type __int128",
    "unsigned __int128": "type __int128", "_Float16": "type _Float16", "double": "type double",
}  # fmt: skip
_DOUBLE, _LONG_DOUBLE = Floating("double"), Floating("long double")
# The pointer by which the translator calls a routine of OpenMP where gcc refuses to see the call.
ROUTINE = "__ompls_routine"
# What brings a type into an expression.
_TYPED = (ast.Name, ast.Member, ast.FloatLiteral, ast.Cast, ast.CompoundLiteral, ast.Call, ast.VarDecl)
# These, and what else may need something.
_NEEDING = frozenset((
    *_TYPED, DirectiveStmt, ast.Unary, ast.Binary, ast.Assign, ast.StatementExpr, ast.Jump, ast.Switch, ast.AsmStmt,
))  # fmt: skip
_OPERATORS = frozenset("+ - * & | ^ && || max min".split())  # noqa: SIM905 - a table of words
# Leaf constructs that leave no trace in a kernel of their own: the region itself, and parts of others.
_PARTS = frozenset(("teams", "section", "assumes", "declare simd"))


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that the program needs: where, the key, and the program's name of it."""

    span: Span
    key: str
    name: str = ""

    @property
    def shown(self) -> str:
        """As people call it, names in backticks."""
        return ABILITIES[self.key].format(self.name)


def needed(node: Node) -> list[Need]:
    """What the statements and expressions below `node` need, in source order; a type once.

    A directive that `node` itself is counts as the region's: its construct is where the region begins.
    """
    found: list[Need] = []
    types: set[str] = set()
    seen: set[int] = set()  # the types themselves
    narrowed: set[ast.Expr | None] = set()
    for n in ast.nodes(node):
        if type(n) not in _NEEDING:  # most nodes need nothing, and every node of the unit comes here
            continue
        if isinstance(n, DirectiveStmt):
            found += _of_directive(n.directive, n is node)
            continue
        if not isinstance(n, ast.Name) or n.type.quals:
            found += _of_node(n)
        if isinstance(n, ast.Cast):
            narrowed.add(_constant_of_a_double(n))
        if isinstance(n, _TYPED) and n not in narrowed:
            t = n.symbol.type if isinstance(n, ast.VarDecl) else n.type
            if id(t) not in seen:
                seen.add(id(t))
                for need in _of_type(n, t):
                    if need.key not in types:
                        types.add(need.key)
                        found.append(need)
    return found


def _of_directive(directive: Directive, root: bool) -> Iterator[Need]:
    constructs = [c for c in directive.constructs if c not in _PARTS]
    if root and constructs[:1] == ["target"]:
        constructs = constructs[1:]
    whole = next((w for w in ("sections", "single") if constructs[:2] == ["parallel", w]), "")
    if whole:
        constructs = [f"parallel {whole}"]
    for construct in constructs:
        if f"construct {construct}" in ABILITIES:
            yield Need(directive.name_span, f"construct {construct}", construct)
    for clause in directive.clauses:
        key, name = _of_clause(directive, clause)
        if key:
            yield Need(clause.span, key, name)


def _of_clause(directive: Directive, clause: Clause) -> tuple[str, str]:
    """The key of what a clause needs, and the name in it; ("", "") for what every device has."""
    first = clause.items[0] if clause.items else None
    match clause.name:
        case "detach" | "copyprivate" | "copyin":
            return f"clause {clause.name}", ""
        case "ordered":
            return "clause ordered", ""
        case "compare" if directive.name == "atomic":
            return "clause compare", ""
        case "lastprivate" if "conditional" in clause.modifiers and first is not None:
            return "clause lastprivate conditional", first.text
        case "lastprivate" if directive.has("sections"):
            return "clause lastprivate on sections", ""
        case "device" if clause.keyword == "ancestor":
            return "clause device ancestor", ""
        case "map" | "to" | "from" if any(m.startswith(("mapper", "iterator")) for m in clause.modifiers):
            return "clause map mapper", clause.name
        case "map" if any(isinstance(i.expr, ast.Section) and i.expr.stride for i in clause.items):
            return "section with a stride", ""
        case "firstprivate":
            variable = next((i for i in clause.items if i.symbol is not None and _is_vla(i.symbol)), None)
            return ("firstprivate vla", variable.text) if variable is not None else ("", "")
        case "reduction" | "in_reduction" | "task_reduction":
            key, name = _of_reduction(clause)
            if key:
                return key, name
            if "task" in clause.modifiers:
                return "clause reduction with task", ""
            tasks = clause.name == "task_reduction" or (clause.name == "in_reduction" and not directive.has("target"))
            return ("clause reduction of tasks", clause.name) if tasks else ("", "")
    return "", ""


def _of_reduction(clause: Clause) -> tuple[str, str]:
    if clause.keyword not in _OPERATORS:
        return "clause reduction of a type of the user's", clause.keyword
    if "inscan" in clause.modifiers:
        return "clause reduction inscan", ""
    for item in clause.items:
        t = item.symbol.type if item.symbol is not None else UNKNOWN
        whole = isinstance(t, Array) and t.length is not None
        element = t.of if isinstance(t, Array) and whole else t
        part = isinstance(item.expr, (ast.Section, ast.Index))
        if (part and not whole) or isinstance(element, (Array, Pointer, Record)):
            return "clause reduction through a pointer", item.text
    return "", ""


def _of_node(n: Node) -> Iterator[Need]:
    if isinstance(n, ast.VarDecl):
        if _is_vla(n.symbol):
            yield Need(n.span, "vla", n.symbol.name)
        if n.symbol.kind == "var" and n.symbol.storage == "static":
            yield Need(n.span, "static local", n.symbol.name)
        if "_Atomic" in n.symbol.type.quals:
            yield Need(n.span, "atomic variable", n.symbol.name)
    elif isinstance(n, ast.Member) and is_bit_field(n):
        yield Need(n.span, "bit-field", n.field)
    elif isinstance(n, ast.Name) and "_Atomic" in n.type.quals:
        yield Need(n.span, "atomic variable", n.name)
    elif isinstance(n, ast.Unary) and n.op == "&&" and not n.postfix:
        yield Need(n.span, "computed goto")
    elif isinstance(n, ast.Binary) and n.op in ("/", "%") and isinstance(n.type, Integer):
        if not isinstance(n.right, ast.IntLiteral):
            yield Need(n.span, "division")
    elif isinstance(n, ast.Assign) and n.op in ("/=", "%=") and isinstance(n.target.type, Integer):
        if not isinstance(n.value, ast.IntLiteral):
            yield Need(n.span, "division")
    elif isinstance(n, ast.CompoundLiteral) and isinstance(n.of, Array):
        yield Need(n.span, "array literal")
    elif isinstance(n, ast.Call):
        yield from _of_call(n)
    elif isinstance(n, ast.StatementExpr):
        yield Need(n.span, "statement expression")
    elif isinstance(n, ast.Jump) and n.kind == "goto" and n.label:
        yield Need(n.span, "goto")
    elif isinstance(n, ast.Switch):
        yield Need(n.span, "switch")
    elif isinstance(n, ast.AsmStmt) and not n.empty:
        yield Need(n.span, "inline assembly")


def is_bit_field(n: ast.Member) -> bool:
    of = owner(n.base.type, n.arrow)
    found = find_member(of, n.field) if isinstance(of, Record) else None
    return found is not None and found.bits is not None


def _of_call(n: ast.Call) -> Iterator[Need]:
    if isinstance(n.function, ast.Name):
        name = n.function.name
        if name in _ALLOCAS:
            yield Need(n.span, "alloca", "alloca")
        elif name in _VARIABLE_ARGUMENTS:
            yield Need(n.span, "varargs", name.removeprefix("__builtin_"))
        elif n.function.symbol is not None and n.function.symbol.kind != "func":
            yield Need(n.span, "function pointer", name)
    elif isinstance(n.function.type, (Pointer, Function)) and not _is_routine(n.function):
        yield Need(n.span, "function pointer")


def _is_routine(function: ast.Expr) -> bool:
    """Whether it is a routine of OpenMP that the translator calls by a pointer (`ROUTINE`)."""
    last = function.body.items[-1] if isinstance(function, ast.StatementExpr) and function.body.items else None
    return isinstance(last, ast.ExprStmt) and isinstance(last.expr, ast.Name) and last.expr.name == ROUTINE


def _of_type(n: Node, whole: CType) -> Iterator[Need]:
    if not isinstance(n, ast.Member) and (of := _without_size(whole)):
        yield Need(n.span, "object without size", of)
    for t in _numbers(whole):
        if isinstance(t, Floating) and t.complex:
            yield Need(n.span, "type complex")
        elif t.kind in _TYPES:
            yield Need(n.span, _TYPES[t.kind], t.kind)


def _constant_of_a_double(n: ast.Cast) -> ast.Expr | None:
    """`x` in `(double)xL`, as gcc's <float.h> writes DBL_MAX, when no rounding to a long double lies between the two.

    Compilers for a device read such a constant as the double that it becomes.
    """
    constant = bare(n.operand)
    if not isinstance(constant, ast.FloatLiteral) or constant.type != _LONG_DOUBLE or n.to != _DOUBLE:
        return None
    if "x" in constant.text.lower():
        return None
    digits = constant.text.rstrip("lL")
    if not 0 < float(digits) < math.inf:
        return None
    exact = Fraction(digits)
    unit = Fraction(2) ** (exact.numerator.bit_length() - exact.denominator.bit_length() - 64)
    if exact >= 2**64 * unit:
        unit *= 2
    return constant if float(digits) == float(round(exact / unit) * unit) else None


def _numbers(t: CType) -> Iterator[Integer | Floating]:
    """The kinds of numbers that a type is made of; what a member points to does not count."""
    while isinstance(t, (Array, Pointer)):
        t = t.of if isinstance(t, Array) else t.to
    yield from (of for of in held(t) if isinstance(of, (Integer, Floating)))


def _without_size(t: CType) -> str:
    """The type without members or elements (GNU C) that it is made of, or that a pointer to it leads to; else ""."""
    while isinstance(t, (Array, Pointer)):
        if isinstance(t, Array) and t.length == 0:
            return declare(t)
        t = t.of if isinstance(t, Array) else t.to
    return declare(t) if isinstance(t, Record) and t.body.fields == () else ""


def _is_vla(symbol: ast.Symbol) -> bool:
    """Whether a length in its type is not known before the program runs."""
    t = symbol.type
    while isinstance(t, (Array, Pointer)):
        if isinstance(t, Array) and t.vla and t.length is None:
            return True
        t = t.of if isinstance(t, Array) else t.to
    return False
