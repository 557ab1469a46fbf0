"""`reduction` and `in_reduction` on a GPU: each thread's part, and how the parts are joined.

A list item is a variable or a section of an array, also one that a pointer points to.  Arrays are handled as their flat
elements (`sections.py`).  The parts of a team are joined by shuffles and in shared memory, in the order of the threads;
then one thread adds the team's value to the original atomically, in whatever order the teams end, or the last of these
joins what all have left for it (`partials.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import Array, CType, Floating, Integer, Pointer
from ompls.analysis.model.omp import Clause, Directive, ListItem
from ompls.translate.ctext import is_vla
from ompls.translate.declared import declared_reductions
from ompls.translate.loops import Nest
from ompls.translate.problem import Problem
from ompls.translate.transformations.gpu.emitter import Emitter
from ompls.translate.transformations.gpu.gather import gathers
from ompls.translate.transformations.gpu.sections import Flat, flat_of

if TYPE_CHECKING:
    from ompls.translate.transformations.gpu.data import Data

OPERATORS = {
    "+": "ompls_add", "-": "ompls_add", "*": "ompls_mul", "min": "ompls_min", "max": "ompls_max", "&": "ompls_and",
    "|": "ompls_or", "^": "ompls_xor", "&&": "ompls_land", "||": "ompls_lor",
}  # fmt: skip
# Where a private copy is: parallel regions in the code that sees it reach the last two only.
Place = Literal["stack", "team", "heap"]
_LITERAL = re.compile(r"\(\s*(?:(?:struct|union)\s+)?([A-Za-z_]\w*)\s*\)\s*\{")  # `(struct s){…}`, in C++ `s{…}`


@dataclass(frozen=True)
class Reduced:
    """A list item of a clause.

    team  -- all threads of the team run the code; else one does
    ref   -- the pointer to the original, where the original has no name
    place -- of the copy
    nest  -- the loop, when its iterations may use the team's shared memory
    """

    directive: Directive
    clause: Clause
    item: ListItem
    team: bool
    ref: str | None
    place: Place
    nest: Nest | None = None

    @property
    def symbol(self) -> Symbol:
        assert self.item.symbol is not None
        return self.item.symbol

    @property
    def told(self) -> str:
        """The comment beside the copy."""
        whose = "thread" if self.place == "stack" else "team"
        return f"  // reduction({self.clause.keyword}: {self.item.text}): this {whose}'s part"


def reduction(e: Emitter, out: Data, what: Reduced) -> None:
    """Add the copies of one list item to `out`."""
    flat = flat_of(e, what.item)
    s = what.symbol
    if what.ref is None:
        orig = f"ompls_sum_{s.name}"
        out.outer.append(f"{_bound(e, s, orig)} = {s.name};")
    else:
        orig = f"(*{what.ref})"
    if flat.count:
        _array(e, out, what, flat, orig)
    else:
        _scalar(e, out, what, flat.element, orig)


def _scalar(e: Emitter, out: Data, what: Reduced, t: CType, orig: str) -> None:
    s, kind, op = what.symbol, e.cxx(t), operator(e, what.clause, t)
    promotion = e.plan.promotion if e.plan is not None else None
    before = e.plan.originals.get(s) if e.plan is not None and what.ref is not None else None
    initial = _identity(op, kind, before or orig)
    if what.place == "stack":
        out.before.append(f"{kind} {s.name} = {initial};{what.told}")
    else:
        made = e.on_the_heap(s).rstrip() if what.place == "heap" else f"__shared__ {kind} {s.name};"
        one = "if (omp_get_thread_num() == 0)\n" if promotion is not None else ""
        out.before.append(f"{made}{what.told}\n{one}{s.name} = {initial};")
    site = promotion.totals.get((id(what.directive), s)) if promotion is not None else None
    if site is not None:
        taken = f"{orig} = ompls_total<{op}, {site}>({orig});  // the same in all threads of the team"
        out.totals.append((f"ompls_contribute<{op}, {site}>({s.name});", taken))
        return
    target = what.ref if what.ref is not None else f"&{orig}"
    partials = e.plan.partials.get(s) if e.plan is not None and what.team and what.directive.has("teams") else None
    if partials is not None:
        how = "  // joined in the team, and by the last of the teams"
        out.after.append(f"ompls_reduce_teams<{op}>({target}, {s.name}, {partials});{how}")
        return
    call = f"ompls_reduce<{op}>" if what.team else f"ompls_join<{op}>"
    if promotion is not None and not what.team:
        call = f"if (omp_get_thread_num() == 0)\n{call}"
    how = "  // joined in the team, then once a team" if what.team else ""
    out.after.append(f"{call}({target}, {s.name});{how}")


def _array(e: Emitter, out: Data, what: Reduced, flat: Flat, orig: str) -> None:
    s, kind, nest = what.symbol, e.cxx(flat.element), what.nest
    op = operator(e, what.clause, flat.element)
    together = nest is not None and gathers(e, s, what.clause.keyword, flat.element, flat.taken, nest)
    if together:
        what = replace(what, place="team")
    mine = _storage(e, out, what, flat, large=flat.is_large and not together)
    offset, count = flat.offset, flat.count
    if flat.whole and e.plan is not None and s in e.plan.parts:  # what is mapped of the array
        offset, count = (f"{x} / (long)sizeof({kind})" for x in e.plan.parts[s])
        mine = f"({mine} + {offset})"
    from_ = f"({kind} *){orig}" + (f" + {offset}" if offset != "0" else "")
    if together:
        out.before.append(f"ompls_gather_begin<{op}>({mine}, {count});")
        out.after.append(f"ompls_gather_end<{op}>({from_}, {mine}, {count});")
        return
    initial = _identity(op, kind, f"({from_})[ompls_k]")
    out.before.append(f"for (long ompls_k = 0; ompls_k < {count}; ompls_k++)\n{mine}[ompls_k] = {initial};")
    call = f"ompls_reduce_array<{op}>" if what.team else f"ompls_join_array<{op}>"
    out.after.append(f"{call}({from_}, {mine}, {count});")


def _bound(e: Emitter, s: Symbol, name: str) -> str:
    """A declaration of `name` for the original: a reference; a pointer by value, which a copy in memory may hide."""
    if (isinstance(s.type, Array) and is_vla(s.type)) or s in e.parts:
        return f"auto *const {name}"
    if isinstance(s.type, Pointer):
        return f"{e.cxx(s.type, f'const {name}')}" if not is_vla(s.type) else f"auto *const {name}"
    return e.reference(s.type, name)


def _storage(e: Emitter, out: Data, what: Reduced, flat: Flat, *, large: bool) -> str:
    """Declare the part of an array.  Returns the flat pointer to it."""
    s, kind, place, told = what.symbol, e.cxx(flat.element), what.place, what.told
    where = "__shared__ " if place == "team" else ""
    if flat.whole:
        made = e.on_the_heap(s).rstrip() if place == "heap" else f"{where}{e.cxx(s.type, s.name)};"
        out.before.append(f"{made}{told}")
        return s.name if isinstance(s.type, Array) and not isinstance(s.type.of, Array) else f"(({kind} *){s.name})"
    mine = part = f"ompls_partial_{s.name}"
    first = int(flat.offset) if flat.offset.isdigit() else None
    offset = flat.offset
    if flat.known is None or large or place == "heap":
        out.before.append(f"ompls_room<{kind}> ompls_room_{s.name}({flat.count});{told}")
        out.before.append(f"{kind} *const {part} = ompls_room_{s.name}.begin;")
    elif first is not None and first + flat.known <= flat.most:  # with what is in front of the section
        out.before.append(f"{where}{kind} {part}[{first + flat.known}];{told}")
        offset = "0"
        mine = f"({part} + {first})" if first else part
    else:
        out.before.append(f"{where}{kind} ompls_room_{s.name}[{flat.count}];{told}")
        out.before.append(f"{kind} *const {part} = ompls_hidden(ompls_room_{s.name});")
    below = flat.element
    if not is_vla(s.type):
        below = s.type.of if isinstance(s.type, Array) else s.type.to if isinstance(s.type, Pointer) else s.type
    moved = f"ompls_before({part}, {offset})" if offset != "0" else part
    cast = f"({e.cxx(Pointer(below), '')})" if isinstance(below, Array) else ""
    out.before.append(f"{e.cxx(Pointer(below), s.name)} = {cast}{moved};")
    e.parts |= {s}
    return mine


def _identity(op: str, kind: str, orig: str) -> str:
    return f"ompls_identity<{op}, {kind}>()" if op in OPERATORS.values() else f"{op}::identity({orig})"


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
