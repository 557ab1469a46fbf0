"""C and CUDA C++ text for types and for the base, begin and size of list items."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache

from ompls.analysis.dataenv.paths import goes_beyond, holds_pointers, may_exceed_its_type
from ompls.analysis.encoding import decoded
from ompls.analysis.model import ast
from ompls.analysis.model.constants import fold
from ompls.analysis.model.convert import owner
from ompls.analysis.model.ctype import (
    Array,
    CType,
    Enum,
    Floating,
    Function,
    Integer,
    Pointer,
    Record,
    Unknown,
    held,
)
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.declare import declare
from ompls.analysis.model.layout import offsetof, sizeof
from ompls.analysis.model.peel import bare
from ompls.analysis.model.tu import TU

# A complex type as C writes it; in CUDA C++ it is the device library's.
COMPLEX = re.compile(r"\b(?:(float|double)\s+(?:_Complex|__complex__)|(?:_Complex|__complex__)\s+(float|double))\b")
TRUTH = ("bool", "true", "false")  # words of C++ that older C programs declare
_WORD = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|([A-Za-z_]\w*)""", re.S)
_MARK = "@"  # in front of a typedef name that stands for an anonymous record or enum


@lru_cache(maxsize=1024)
def words(text: str) -> frozenset[str]:
    """The identifiers of C text, without comments and literals."""
    return frozenset(_WORD.findall(text)) - {""}


def words_at(text: str, word: str) -> list[int]:
    """Where the identifier stands in C text, outside comments and literals."""
    return [m.start(1) for m in _WORD.finditer(text) if m[1] == word]


class Types:
    """Prints types with the names they have in one translation unit."""

    def __init__(self, tu: TU) -> None:
        self._tu = tu
        self.model = tu.model
        self._names: dict[int, str] = {}
        self.made: dict[str, Record] = {}  # names of ours for records that have none
        self.exact = False  # a device gives `long` another size: `int64_t` is not printed as that
        self.own: frozenset[str] = frozenset()  # words of `TRUTH` that the unit declares
        for item in tu.items:
            if isinstance(item.content.node, ast.Declaration):
                self._learn(item.content.node.decls)

    def learn(self, node: ast.Node) -> None:
        """Take the typedef names that a function declares into account."""
        for n in ast.nodes(node):
            if isinstance(n, ast.DeclStmt):
                self._learn(n.decls)

    def _learn(self, decls: Iterable[ast.VarDecl]) -> None:
        for s in (d.symbol for d in decls):
            if s.kind == "typedef" and isinstance(s.type, (Record, Enum)) and not s.type.tag:
                self._names.setdefault(s.type.uid, s.name)

    @cached_property
    def _of_headers(self) -> dict[int, str]:
        """The names that system headers give to records without a tag, of the words in the unit's text."""
        found = ((w, self._tu.symbols.get(w)) for w in sorted(words(decoded(self._tu.expanded))))
        named = ((w, s.type) for w, s in found if s is not None and s.kind == "typedef" and s.from_system_header)
        return {t.uid: w for w, t in named if isinstance(t, Record) and not t.tag}

    def has_name(self, t: CType) -> bool:
        """Whether the user's text has a name for `t` itself."""
        if not isinstance(t, (Record, Enum)) or t.tag:
            return True
        return t.uid in self._of_headers or self._names.get(t.uid, "") not in (*self.made, "")

    def is_local(self, t: CType) -> bool:
        """Whether `t` is a structure, union or enumeration whose tag some block declares."""
        known = self._tu.tags.get(t.tag) if isinstance(t, (Record, Enum)) else None
        return isinstance(t, (Record, Enum)) and bool(t.tag) and getattr(known, "uid", None) != t.uid

    def c(self, t: CType, name: str = "") -> str:
        """A C declaration of `name` with type `t`."""
        return _unmark(declare(self._named(t, frozenset()), name))

    def cxx(self, t: CType, name: str = "") -> str:
        """A CUDA C++ declaration: no restrict, no _Atomic, bool for _Bool, no pointers to rows whose length varies."""
        t = flat(t) if isinstance(t, Pointer) else t
        text = _unmark(declare(self._named(t, frozenset({"restrict", "_Atomic"})), name))
        return COMPLEX.sub(lambda m: f"ompls_complex<{m[1] or m[2]}>", self._truth(text))

    def _truth(self, text: str) -> str:
        """What the user calls `bool` gets another name, and then C's own type gets C++'s."""
        return re.sub(r"\b_Bool\b", "ompls_bool" if self.own else "bool", re.sub(r"\bbool\b", "bool_", text))

    def reference(self, t: CType, name: str) -> str:
        """A CUDA C++ declaration of `name` as a reference to a `t`."""
        return self.cxx(t, f"(&{name})" if isinstance(t, Array) else f"&{name}")

    def _named(self, t: CType, drop: frozenset[str]) -> CType:
        t = dataclasses.replace(t, quals=t.quals - drop)
        if isinstance(t, Pointer):
            return dataclasses.replace(t, to=self._named(t.to, drop))
        if isinstance(t, Array):
            return dataclasses.replace(t, of=self._named(t.of, drop))
        if isinstance(t, Function):
            params = tuple(self._named(p, drop) for p in t.params)
            return dataclasses.replace(t, returns=self._named(t.returns, drop), params=params)
        if isinstance(t, Integer) and t.exact and self.exact:  # which the compiler of each machine knows
            tag = f"{_MARK}__{'' if t.signed else 'U'}INT{t.size * 8}_TYPE__"
            return Enum(tag, 0, t, quals=t.quals)
        if isinstance(t, Record) and not t.tag and t.uid not in self._names:
            name = self._of_headers.get(t.uid)
            self._names[t.uid] = name or f"ompls_record_{len(self.made)}"
            if name is None:
                self.made[self._names[t.uid]] = t
        if isinstance(t, Enum) and not t.tag and t.uid not in self._names:
            return dataclasses.replace(t.underlying, quals=t.quals)
        if isinstance(t, (Record, Enum)) and not t.tag:
            return dataclasses.replace(t, tag=_MARK + self._names[t.uid])
        return t


def _unmark(text: str) -> str:
    return re.sub(rf"(?:struct|union|enum) {_MARK}", "", text)


def is_unknown(t: CType) -> bool:
    """Whether the front end could not tell some part of the type."""
    if isinstance(t, Pointer):
        return is_unknown(t.to)
    if isinstance(t, Array):
        return is_unknown(t.of)
    return isinstance(t, Unknown)


def why_unknown(tu: TU) -> str:
    """Why the front end could not tell a type of this unit."""
    if b"vector_size" in tu.expanded:
        return "its type is not known, as that of vectors (vector_size) is not; make it an array or a structure"
    return "its type is not known"


def is_const(t: CType) -> bool:
    """Whether an object of type `t` keeps its value: const, or an array of such elements."""
    return "const" in t.quals or (isinstance(t, Array) and is_const(t.of))


def is_vla(t: CType) -> bool:
    """Whether a variable length is anywhere in `t`."""
    if isinstance(t, Array):
        return (t.vla and t.length is None) or is_vla(t.of)
    return isinstance(t, Pointer) and is_vla(t.to)


def as_array_pointer(t: Array) -> Pointer:
    """The type of the pointer that stands for a mapped array: `T (*)[n]`; to the elements when a length varies."""
    return Pointer(t.of) if t.length is None or is_vla(t) else Pointer(t)


def arrays_in(t: CType | None) -> Iterator[Array]:
    """`t` and its elements as long as they are arrays, outermost first."""
    while isinstance(t, Array):
        yield t
        t = t.of


def element_of(t: CType) -> CType | None:
    """What an array holds or a pointer points to."""
    return t.of if isinstance(t, Array) else t.to if isinstance(t, Pointer) else None


def flat(t: CType) -> CType:
    """A pointer to (or array of) arrays of variable length as a pointer to their innermost elements."""
    if not is_vla(t):
        return t
    inner = element_of(t)
    while isinstance(inner, Array):
        inner = inner.of
    assert inner is not None
    return Pointer(flat(inner))


@dataclasses.dataclass(frozen=True)
class Place:
    """Host C text for one list item: what an `ompls_arg` wants.

    owner/offset -- for a member of a structure (`s.m`, `p->m`): the structure's `base` and the member's offset in it in
                    bytes, by which it is joined with its siblings (they are one contiguous range, OpenMP 5.2
                    §5.8.3); None when only the program knows
    beyond -- it is a section of an array member that goes on behind its structure
    """

    base: str
    begin: str
    size: str
    attach: str = ""  # address of the pointer to attach; "" when the base is a variable
    owner: str = ""
    offset: int | None = 0
    beyond: bool = False


def is_of_unknown_length(t: CType) -> bool:
    """An array whose length stands in another file."""
    return isinstance(t, Array) and t.length is None and not t.vla


def size_of(name: str, s: ast.Symbol | None) -> str:
    """Of a variable, in bytes."""
    if s is not None and is_of_unknown_length(s.type):
        return "0"  # as of what a pointer leads to: it has to be there
    return f"__builtin_object_size(&{name}, 0)" if may_exceed_its_type(s) else f"sizeof({name})"


def place_of(text: Callable[[ast.Expr], str], expr: ast.Expr, model: DataModel) -> Place:
    """Where `expr`, a list item of map/to/from, begins, how long it is and what it is based on."""
    begin, lengths = _first(text, expr)
    terms = [f"({n} - 1) * sizeof({e})" for n, e in lengths[:-1]]
    whole = bare(expr)
    own = size_of(begin, whole.symbol if isinstance(whole, ast.Name) else None)
    size = " + ".join([f"({n}) * sizeof({e})" for n, e in lengths[-1:]] + terms) or own
    root, pointer, member = _base(expr)
    name = root.name if isinstance(root, ast.Name) else text(root)
    base = name if pointer else f"&{name}"
    attach = f"&{name}" if pointer and not isinstance(root, ast.Name) else ""
    if not member:
        return Place(base, f"&{begin}", size, attach)
    return Place(base, f"&{begin}", size, attach, base, _offset(expr, model), goes_beyond(expr))


def _first(text: Callable[[ast.Expr], str], e: ast.Expr) -> tuple[str, list[tuple[str, str]]]:
    """The first element of an item as an lvalue; the section lengths with their elements, outermost first."""
    e = bare(e)
    if isinstance(e, ast.Section):
        inner, lengths = _first(text, e.base)
        lower = text(e.lower) if e.lower else "0"
        length = text(e.length) if e.length else f"sizeof({inner}) / sizeof(({inner})[0]) - ({lower})"
        element = f"{inner}[{lower}]"
        return element, [*lengths, (f"({length})", element)]
    if isinstance(e, ast.Index):
        inner, lengths = _first(text, e.base)
        return f"{inner}[{text(e.index)}]", lengths
    if isinstance(e, ast.Member):
        inner, lengths = _first(text, e.base)
        return f"{inner}{'->' if e.arrow else '.'}{e.field}", lengths
    if isinstance(e, ast.Unary) and e.op == "*":
        return f"(*{text(e.operand)})", []
    if isinstance(e, ast.Shaping):
        pointer, dims = text(e.operand), "".join(f"[{text(d)}]" for d in e.dims)
        return f"(*(__typeof__(*({pointer})) (*){dims})({pointer}))", []
    return text(e) if isinstance(e, ast.Name) else f"({text(e)})", []


def _base(e: ast.Expr) -> tuple[ast.Expr, bool, bool]:
    """(the object or pointer that an item is based on, whether it is a pointer, whether a member of it is meant)."""
    member = False
    while True:
        e = bare(e)
        if isinstance(e, (ast.Section, ast.Index)):
            inner = bare(e.base)
            if not isinstance(inner.type, Array):
                return inner, True, member
        elif (isinstance(e, ast.Unary) and e.op == "*") or isinstance(e, ast.Shaping):
            return bare(e.operand), True, member
        elif isinstance(e, ast.Member):
            inner, member = bare(e.base), True
            if e.arrow:
                return inner, True, True
        else:
            return e, False, member
        e = inner


def pointer_of(expr: ast.Expr) -> ast.Expr:
    """The pointer (or the variable) that `expr`, a list item, is based on."""
    return _base(expr)[0]


def _offset(e: ast.Expr, model: DataModel) -> int | None:
    """How far from the variable's (or structure's) begin an item lies, in bytes; None where a subscript varies."""
    e = bare(e)
    if isinstance(e, (ast.Section, ast.Index)):
        lower = e.index if isinstance(e, ast.Index) else e.lower
        at = 0 if lower is None else fold(lower)
        of = element_of(e.base.type)
        size = sizeof(of, model) if of is not None else None
        base = _offset(e.base, model)
        return None if at is None or size is None or base is None else base + at * size
    if not isinstance(e, ast.Member):
        return 0
    of = owner(e.base.type, e.arrow)
    here = offsetof(of, e.field, model) if isinstance(of, Record) else None
    base = 0 if e.arrow else _offset(e.base, model)
    return None if here is None or base is None else base + here


def is_plain(t: CType) -> bool:
    """Whether values of the type are known to have no pointers in them."""
    return not holds_pointers(t) and all(isinstance(of, (Integer, Floating, Enum, Record)) for of in held(t))
