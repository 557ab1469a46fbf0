"""`reduction` and `in_reduction` on a GPU: each thread's part, and how the parts are joined.

A list item is a variable or a section of an array, also one that a pointer points to.  Arrays are handled as their flat
elements.  The parts of a team are joined by shuffles and in shared memory, in the order of the threads; then one thread
adds the team's value to the original atomically, in whatever order the teams end.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.convert import unqualified
from ompls.analysis.model.ctype import Array, CType, Floating, Integer, Pointer
from ompls.analysis.model.omp import Clause, Directive, ListItem
from ompls.translate.ctext import is_vla, strip
from ompls.translate.declared import declared_reductions
from ompls.translate.loops import Nest, constant
from ompls.translate.problem import Problem
from ompls.translate.transformations.gpu.emitter import Emitter
from ompls.translate.transformations.gpu.gather import gathers

if TYPE_CHECKING:
    from ompls.translate.transformations.gpu.data import Data

OPERATORS = {
    "+": "ompls_add", "-": "ompls_add", "*": "ompls_mul", "min": "ompls_min", "max": "ompls_max", "&": "ompls_and",
    "|": "ompls_or", "^": "ompls_xor", "&&": "ompls_land", "||": "ompls_lor",
}  # fmt: skip
# Where a private copy is: parallel regions in the code that sees it reach the last two only.
Place = Literal["stack", "team", "heap"]
_LITERAL = re.compile(r"\(\s*(?:(?:struct|union)\s+)?([A-Za-z_]\w*)\s*\)\s*\{")  # `(struct s){…}`, in C++ `s{…}`
LARGEST_PART = 4096  # bytes of an array's part that lies on a thread's stack


@dataclass(frozen=True)
class _Shape:
    """What is reduced: `count` flat elements from the `offset`th on; count "" for a variable that is no array."""

    element: CType
    count: str = ""
    offset: str = "0"
    whole: bool = True  # the variable itself, not a section

    @property
    def known(self) -> int | None:
        return int(self.count) if self.count.isdigit() else None

    @property
    def is_large(self) -> bool:
        return self.known is not None and self.known * 8 > LARGEST_PART

    @property
    def taken(self) -> int | None:
        """How many elements a part has at most: with what may be in front of the section."""
        return None if self.known is None else self.known + LARGEST_PART // 8 * (self.offset != "0")


def reduction(  # noqa: PLR0917 - all of them are what one clause item is
    e: Emitter,
    out: Data,
    d: Directive,
    c: Clause,
    item: ListItem,
    team: bool,
    ref: str | None,
    place: Place,
    nest: Nest | None = None,
) -> None:
    """Add the copies of one list item to `out`.

    team  -- all threads of the team run the code; else one does
    nest  -- the loop, when its iterations may use the team's shared memory
    ref   -- the pointer to the original, where the original has no name
    place -- of the copy
    """
    s = item.symbol
    assert s is not None
    shape = _shape(e, item)
    op, orig = operator(e, c, shape.element), s.name
    if ref is None:
        orig = f"ompls_sum_{s.name}"
        out.outer.append(f"{_bound(e, s, orig)} = {s.name};")
    else:
        orig = f"(*{ref})"
    told = f"  // reduction({c.keyword}: {item.text}): this {'thread' if place == 'stack' else 'team'}'s part"
    kind = e.cxx(shape.element)
    promotion = e.plan.promotion if e.plan is not None else None
    if not shape.count:
        before = e.plan.originals.get(s) if e.plan is not None and ref is not None else None
        initial = _identity(op, kind, before or orig)
        if place == "stack":
            out.before.append(f"{kind} {s.name} = {initial};{told}")
        else:
            made = e.on_the_heap(s).rstrip() if place == "heap" else f"__shared__ {kind} {s.name};"
            one = "if (omp_get_thread_num() == 0)\n" if promotion is not None else ""
            out.before.append(f"{made}{told}\n{one}{s.name} = {initial};")
        site = promotion.totals.get((id(d), s)) if promotion is not None else None
        if site is not None:
            taken = f"{orig} = ompls_total<{op}, {site}>({orig});  // the same in all threads of the team"
            out.totals.append((f"ompls_contribute<{op}, {site}>({s.name});", taken))
            return
        address = ref if ref is not None else f"&{orig}"
        call = f"ompls_reduce<{op}>" if team else f"ompls_join<{op}>"
        if promotion is not None and not team:
            call = f"if (omp_get_thread_num() == 0)\n{call}"
        how = "  // joined in the team, then once a team" if team else ""
        out.after.append(f"{call}({address}, {s.name});{how}")
        return
    together = nest is not None and gathers(e, s, c.keyword, shape.element, shape.taken, nest)
    if together:
        told = told.replace("this thread's", "the team's")
        place = "team"
    mine = _storage(e, out, s, shape, place, told, on_heap=place == "heap" or (shape.is_large and not together))
    offset, count = shape.offset, shape.count
    if shape.whole and e.plan is not None and s in e.plan.parts:  # what is mapped of the array
        offset, count = (f"{x} / (long)sizeof({kind})" for x in e.plan.parts[s])
        mine = f"({mine} + {offset})"
    from_ = f"({kind} *){orig}" + (f" + {offset}" if offset != "0" else "")
    if together:
        out.before.append(f"ompls_gather_begin<{op}>({mine}, {count});")
        out.after.append(f"ompls_gather_end<{op}>({from_}, {mine}, {count});")
        return
    initial = _identity(op, kind, f"({from_})[ompls_k]")
    out.before.append(f"for (long ompls_k = 0; ompls_k < {count}; ompls_k++)\n{mine}[ompls_k] = {initial};")
    call = f"ompls_reduce_array<{op}>" if team else f"ompls_join_array<{op}>"
    out.after.append(f"{call}({from_}, {mine}, {count});")


def _bound(e: Emitter, s: Symbol, name: str) -> str:
    """A declaration of `name` for the original: a reference; a pointer by value, which a copy in memory may hide."""
    if (isinstance(s.type, Array) and is_vla(s.type)) or s in e.parts:
        return f"auto *const {name}"
    if isinstance(s.type, Pointer):
        return f"{e.cxx(s.type, f'const {name}')}" if not is_vla(s.type) else f"auto *const {name}"
    return e.reference(s.type, name)


def _storage(  # noqa: PLR0917
    e: Emitter, out: Data, s: Symbol, shape: _Shape, place: Place, told: str, *, on_heap: bool
) -> str:
    """Declare the part of an array.  Returns the flat pointer to it."""
    kind, where = e.cxx(shape.element), "__shared__ " if place == "team" else ""
    if shape.whole:
        made = e.on_the_heap(s).rstrip() if place == "heap" else f"{where}{e.cxx(s.type, s.name)};"
        out.before.append(f"{made}{told}")
        return s.name if isinstance(s.type, Array) and not isinstance(s.type.of, Array) else f"(({kind} *){s.name})"
    mine = part = f"ompls_partial_{s.name}"
    first = int(shape.offset) if shape.offset.isdigit() else None
    if shape.known is None or on_heap:
        out.before.append(f"ompls_room<{kind}> ompls_room_{s.name}({shape.count});{told}")
        out.before.append(f"{kind} *const {part} = ompls_room_{s.name}.begin;")
    elif first is not None and (first + shape.known) * 8 <= LARGEST_PART:  # with what is in front of the section
        out.before.append(f"{where}{kind} {part}[{first + shape.known}];{told}")
        shape = replace(shape, offset="0")
        mine = f"({part} + {first})" if first else part
    else:
        out.before.append(f"{where}{kind} ompls_room_{s.name}[{shape.count}];{told}")
        out.before.append(f"{kind} *const {part} = ompls_hidden(ompls_room_{s.name});")
    below = (
        shape.element
        if is_vla(s.type)
        else s.type.of
        if isinstance(s.type, Array)
        else s.type.to
        if isinstance(s.type, Pointer)
        else s.type
    )
    pointer = e.cxx(Pointer(below), "")
    moved = f"ompls_before({part}, {shape.offset})" if shape.offset != "0" else part
    cast = f"({pointer})" if isinstance(below, Array) else ""
    out.before.append(f"{e.cxx(Pointer(below), s.name)} = {cast}{moved};")
    e.parts |= {s}
    return mine


def _identity(op: str, kind: str, orig: str) -> str:
    return f"ompls_identity<{op}, {kind}>()" if op in OPERATORS.values() else f"{op}::identity({orig})"


def _shape(e: Emitter, item: ListItem) -> _Shape:
    s = item.symbol
    assert s is not None
    subscripts: list[ast.Section | ast.Index] = []
    base = strip(item.expr)
    while isinstance(base, (ast.Section, ast.Index)):
        subscripts.insert(0, base)
        base = strip(base.base)
    if is_vla(s.type) and isinstance(base, ast.Name):
        if isinstance(s.type, Array) and s in e.outer:
            return _variable_shape(e, item, s.type, [e.outer[s], *e.dims[s]], subscripts)
        if isinstance(s.type, Pointer) and s in e.dims and subscripts:
            return _variable_shape(e, item, s.type.to, ["", *e.dims[s]], subscripts)
    if not isinstance(base, ast.Name) or is_vla(s.type):
        raise Problem(
            item.span, f"a reduction of '{item.text}'", "reduce variables, or sections of arrays of known shape"
        )
    if not subscripts:
        flat, size = _flat(s.type)
        return _Shape(flat, str(size)) if isinstance(s.type, Array) else _Shape(s.type)
    t, offset, count, size = s.type, [], [], 1
    for sub in subscripts:
        length = t.length if isinstance(t, Array) else None
        t = t.of if isinstance(t, Array) else t.to if isinstance(t, Pointer) else t
        _, size = _flat(t)
        lower = sub.index if isinstance(sub, ast.Index) else sub.lower
        if lower is not None and constant(strip(lower)) != 0:
            offset.append(_product([_text(e, lower), str(size)]))
        if isinstance(sub, ast.Section):
            count.append(_length(e, item, sub, length))
    flat, _ = _flat(t)
    return _Shape(flat, _product([*count, str(size)]), " + ".join(offset) or "0", whole=False)


def _variable_shape(
    e: Emitter, item: ListItem, t: CType, lengths: list[str], subscripts: list[ast.Section | ast.Index]
) -> _Shape:
    """Of an array of variable length, or a pointer to such, which is a pointer to elements in the kernel.

    lengths -- of each dimension, outermost first: "" where a pointer does not say it
    """
    flat, _ = _flat(t)
    offset, count = [], []
    for k, sub in enumerate(subscripts):
        lower = sub.index if isinstance(sub, ast.Index) else sub.lower
        if lower is not None and constant(strip(lower)) != 0:
            offset.append(_product([_text(e, lower), *lengths[k + 1 :]]))
        if isinstance(sub, ast.Section):
            if sub.length is None and not lengths[k]:
                raise Problem(item.span, f"a reduction of '{item.text}'", "write the section's length")
            from_ = f" - {_text(e, lower)}" if lower is not None else ""
            count.append(_text(e, sub.length) if sub.length is not None else f"({lengths[k]}{from_})")
    return _Shape(flat, _product([*count, *lengths[len(subscripts) :]]), " + ".join(offset) or "0", whole=False)


def _flat(t: CType) -> tuple[CType, int]:
    """(the innermost element type, how many of them there are in a `t`)."""
    size = 1
    while isinstance(t, Array):
        size *= t.length or 1
        t = t.of
    return unqualified(t), size


def _length(e: Emitter, item: ListItem, sub: ast.Section, whole: int | None) -> str:
    if sub.length is not None:
        return _text(e, sub.length)
    lower = 0 if sub.lower is None else constant(strip(sub.lower))
    if whole is None or lower is None:
        raise Problem(item.span, f"a reduction of '{item.text}'", "write the section's length")
    return str(whole - lower)


def _text(e: Emitter, x: ast.Expr) -> str:
    value = constant(strip(x))
    return str(value) if value is not None else f"({e.text(x)})"


def _product(factors: list[str]) -> str:
    """The factors' product as text; a number when all are."""
    numbers = [int(f) for f in factors if f.isdigit()]
    texts = [f for f in factors if not f.isdigit()]
    known = math.prod(numbers)
    return " * ".join([*texts, *([str(known)] if known != 1 else [])]) if texts else str(known)


def operator(e: Emitter, c: Clause, t: CType) -> str:
    """The class of the operator: one of the library's, or one made of the program's `declare reduction`."""
    if c.keyword in OPERATORS and isinstance(t, (Integer, Floating)):
        return OPERATORS[c.keyword]
    found = [r for r in declared_reductions(e.tu, e.item) if r.name == c.keyword]
    fitting = [r for r in found if r.is_for(e.tu, e.types, t)] or (found if len(found) == 1 else [])
    if not fitting:
        raise Problem(c.span, f"reduction({c.keyword}: …)", f"no reduction of this name is declared for {e.types.c(t)}")
    key = (fitting[0].combiner, fitting[0].initializer)
    if key not in e.operators:
        name = f"ompls_reduction_{OPERATORS.get(c.keyword, c.keyword).removeprefix('ompls_')}"
        while name in e.operators.values():
            name += "_"
        e.operators[key] = name
    return e.operators[key]


def _members(value: str) -> str:
    """`{.m = v, …}` as assignments, as nvrtc has no designated initializers; "" for any other value."""
    m = re.fullmatch(r"(?:\w+\s*)?\{\s*(\..*)\}", value, re.S)
    parts, depth = [""], 0
    for c in m[1] if m else "":
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(c, 0)
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    texts = [p.strip() for p in parts if p.strip()]
    if not texts or not all(re.match(r"\.\w+\s*=\s*[^{\s]", p) for p in texts):
        return ""
    return "T omp_priv = {};\n" + "".join(f"omp_priv{p};\n" for p in texts)


def operator_class(name: str, combiner: str, initializer: str) -> str:
    """C++ for `declare reduction`; without an initializer the copy is zero, as static storage is."""
    combiner, initializer = (_LITERAL.sub(r"\1{", text) for text in (combiner, initializer))
    head, _, value = initializer.partition("=")
    if head.strip() == "omp_priv":
        begin = _members(value.strip()) or f"T omp_priv = {value.strip()};\n"
    else:
        begin = f"T omp_priv = {{}};\n{f'{initializer};' if initializer else ''}\n"
    return (
        f"struct {name} {{\n"
        f"template <typename T> static __device__ T apply(T omp_out, T omp_in)\n{{\n{combiner};\nreturn omp_out;\n}}\n"
        f"template <typename T> static __device__ T identity(const T &omp_orig)\n{{\n{begin}return omp_priv;\n}}\n}};"
    )
