"""Where C converts to, from and between pointers in silence (or with a warning) and C++ does not."""

from __future__ import annotations

from ompls.analysis.model import ast, literals
from ompls.analysis.model.convert import decay, unqualified
from ompls.analysis.model.ctype import Array, CType, Enum, Function, Integer, Pointer, Void
from ompls.analysis.model.peel import bare
from ompls.translate.ctext import flat, is_unknown

ANY_POINTER = Pointer(Void(quals=frozenset({"const", "volatile"})))
_COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")


def needs_cast(e: ast.Expr, to: CType) -> bool:
    """Whether C++ wants a cast where C converts `e` to `to` by itself."""
    source, to = flat(decay(e.type)), flat(to)
    if isinstance(to, Pointer):
        if isinstance(e, ast.StringLiteral):
            return "const" not in to.to.quals or has_own_type(e)
        if isinstance(source, Pointer):
            return not _implicit(source, to) and not is_unknown(to)
        return isinstance(source, (Integer, Enum)) and not (isinstance(e, ast.IntLiteral) and e.value == 0)
    if isinstance(to, Enum):
        return isinstance(source, (Integer, Enum)) and source != to
    return isinstance(to, Integer) and to.kind != "_Bool" and isinstance(source, Pointer)


def has_own_type(e: ast.StringLiteral) -> bool:
    """Whether C++ has other characters in it than C: char16_t is a type there, not another name for one."""
    return literals.prefix(e.text) in ("u", "U")


def is_enumerator(e: ast.Expr) -> bool:
    return isinstance(e, ast.Name) and e.symbol is not None and e.symbol.kind == "enumconst"


def _implicit(source: Pointer, to: Pointer) -> bool:
    """C++ adds qualifiers to what is pointed to, and converts to void *; nothing else."""
    if not _quals(source.to) <= _quals(to.to):
        return False
    if isinstance(to.to, Void):
        return not isinstance(source.to, Function)
    return unqualified(source.to) == unqualified(to.to)


def _quals(t: CType) -> frozenset[str]:
    """The qualifiers of an object; an array's are those of its elements."""
    return _quals(t.of) if isinstance(t, Array) else t.quals - {"restrict"}


def unlike_pointers(n: ast.Node) -> list[ast.Expr]:
    """The operands of a comparison of pointers that C++ refuses because their types are not alike."""
    if not isinstance(n, ast.Binary) or n.op not in _COMPARISONS:
        return []
    operands = [n.left, n.right]
    kinds = [decay(e.type) for e in operands]
    if not any(isinstance(t, Pointer) for t in kinds):
        return []
    nulls = [isinstance(bare(e), ast.IntLiteral) for e in operands]
    if not all(isinstance(t, Pointer) for t in kinds):
        return [] if any(nulls) else operands
    left, right = (t.to for t in kinds if isinstance(t, Pointer))
    if isinstance(left, Void) or isinstance(right, Void) or unqualified(left) == unqualified(right):
        return [] if not (isinstance(left, Function) or isinstance(right, Function)) or left == right else operands
    return operands


def is_void_step(n: ast.Node) -> bool:
    """Whether `n` is arithmetic on a pointer to void."""
    if isinstance(n, ast.Binary) and n.op in ("+", "-"):
        return any(_to_void(e) for e in (n.left, n.right))
    if isinstance(n, ast.Assign):
        return n.op in ("+=", "-=") and _to_void(n.target)
    return isinstance(n, ast.Unary) and n.op in ("++", "--") and _to_void(n.operand)


def _to_void(e: ast.Expr) -> bool:
    return isinstance(e.type, Pointer) and isinstance(e.type.to, (Void, Function))
