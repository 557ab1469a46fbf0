"""Data-sharing clauses on a GPU: what stands before and after the code that sees the private copies.

A private copy has the user's name and hides the original, which is kept under a name of ours in the scope around it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ompls.analysis.dataenv.private import COPYING
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import Array
from ompls.analysis.model.omp import Clause, Directive
from ompls.translate.ctext import is_vla
from ompls.translate.escape import handed_over
from ompls.translate.loops import Nest
from ompls.translate.precedence import operand
from ompls.translate.problem import Problem
from ompls.translate.sharing import Copies
from ompls.translate.transformations.gpu.arrays import room
from ompls.translate.transformations.gpu.emitter import Emitter, Level
from ompls.translate.transformations.gpu.reductions import Place, Reduced, reduction
from ompls.translate.uses import names_in, parallel_in, privatised


@dataclass
class Data:
    """Text around a construct's code.

    outer  -- declarations that still see the originals; `before` -- the private copies; `after` -- what goes back
    totals -- reductions whose results all threads get: (what each gives, the assignment of what all have given)
    latest -- lastprivate(conditional:) copies, assigned by whoever assigned in the latest iteration
    last   -- lastprivate copies: (target expression, copy), to be assigned by whoever runs the last iteration
    """

    outer: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    totals: list[tuple[str, str]] = field(default_factory=list)
    last: list[tuple[str, Symbol]] = field(default_factory=list)
    latest: list[tuple[str, Symbol]] = field(default_factory=list)
    read: bool = False  # a lastprivate original is also read at the start
    linear: list[str] = field(default_factory=list)  # at the start of an iteration

    def opening(self) -> str:
        if not self.outer:
            return "".join(f"{x}\n" for x in self.before)
        return "".join(f"{x}\n" for x in self.outer) + "{\n" + "".join(f"{x}\n" for x in self.before)

    def closing(self) -> str:
        given, taken = [g for g, _ in self.totals], [t for _, t in self.totals]
        lines = [*self.after, *given, *(["ompls_barrier();"] if given else []), *taken]
        return "".join(f"{x}\n" for x in lines) + ("}\n" if self.outer else "")


def data_of(
    e: Emitter,
    directives: list[Directive],
    nest: Nest | None = None,
    team: bool = True,
    original: dict[Symbol, str] | None = None,
    *,
    alone: bool = False,
    body: ast.Node | None = None,
    whole: bool = False,
) -> Data:
    """The copies that the clauses of `directives` (one construct, or a chain that is run as one) ask for.

    team     -- all threads of the team run the code: a reduction is one atomic a team; else one thread of the team does
    alone    -- one thread of the team runs sequential code here, in which parallel regions may stand
    whole    -- all threads of a block run the code, so that its shared memory is the team's
    body     -- sequential code that is to see the copies: what parallel regions in it reach is not on a stack
    original -- variables whose original is reached through a pointer expression instead of by name
    """
    out = Data()
    seen: set[Symbol] = set()
    heap = _reached(e, directives, body) if body is not None else set()

    def place(d: Directive, s: Symbol) -> Place:
        return "heap" if s in heap else "team" if _of_the_team(e, d, s, alone) else "stack"

    counters = {x.symbol for x in nest.loops} if nest else set()
    lasts = {i.symbol for d in directives for c in d.all("lastprivate") for i in c.items}
    for d in directives:
        for c in d.all(*COPYING):
            for entry in c.items:
                s = entry.symbol
                if s is None:
                    raise Problem(entry.span, f"'{entry.text}' in '{c.name}'", "it is not a variable")
                if s in seen or (s in counters and c.name != "lastprivate") or _elsewhere(d, c, s, lasts):
                    continue
                seen.add(s)
                ref = (original or {}).get(s)
                if "inscan" in c.modifiers:  # the iterations run in order, on the variable itself
                    out.before += [f"{e.reference(s.type, s.name)} = *{ref};"] if ref else []
                elif c.name in ("reduction", "in_reduction"):
                    where = place(d, s)
                    loop = nest if whole and team and where == "stack" else None
                    reduction(e, out, Reduced(d, c, entry, team, ref, where, loop))
                elif c.name == "private":
                    _without_value(e, out, s, place(d, s))
                elif c.name == "lastprivate":
                    first = any(i.symbol is s for x in directives for y in x.all("firstprivate") for i in y.items)
                    _lastprivate(e, out, s, ref, None if s in counters else place(d, s), first=first)
                    if "conditional" in c.modifiers:
                        out.latest.append(out.last.pop())
                elif c.name == "firstprivate":
                    _copy(e, out, s, place(d, s))
                else:
                    _linear(e, out, c, s, nest, place(d, s))
        implicit = e.copies.get(id(d), Copies("firstprivate"))
        made = _without_value if implicit.kind == "private" else _copy
        for s in implicit.symbols:
            if s not in seen and s not in counters:
                seen.add(s)
                made(e, out, s, place(d, s))
    return out


def _elsewhere(d: Directive, c: Clause, s: Symbol, lasts: set[Symbol | None]) -> bool:
    """Whether the copy that a clause of `d` asks for is made elsewhere; `lasts` -- what is lastprivate."""
    if c.name == "firstprivate":  # on the target construct: the kernel's parameter is the copy
        return d.has("target") or s in lasts
    return c.name == "private" and d.has("target") and is_vla(s.type)  # the kernel declares it


def data_inside(
    e: Emitter, d: Directive, level: Level, body: ast.Node | None, nest: Nest | None = None, *, team: bool = True
) -> Data:
    """The copies that one construct asks for, which stands in code of `level`; `body` sees them."""
    inside = body if level != "parallel" else None
    return data_of(e, [d], nest, team, alone=level == "master", body=inside)


def _reached(e: Emitter, directives: list[Directive], body: ast.Node) -> set[Symbol]:
    """Copies of variables that are references elsewhere, which parallel regions in `body` name or are led to."""
    copied = {s for d in directives for s in privatised(d)}
    copied |= {s for d in directives if id(d) in e.copies for s in e.copies[id(d)].symbols}
    named = {n.symbol for region in parallel_in(body) for n in names_in(region)}
    return (e.references - e.team_shared) & copied & (named | handed_over(body, copied, e.parallel))


def _without_value(e: Emitter, out: Data, s: Symbol, place: Place) -> None:
    if is_vla(s.type) and isinstance(s.type, Array):  # on the heap, which all threads see
        out.outer.append("// private")
        out.before.append(_room(e, s))
        return
    _declare(e, out, s, place, "private")


def _declare(e: Emitter, out: Data, s: Symbol, place: Place, what: str) -> None:
    """The copy, without a value; on the heap, the original is still to be had under a name of ours."""
    if place == "heap":
        out.outer.append(f"// {what}, and parallel regions reach it: not on one thread's stack")
        out.before.append(e.on_the_heap(s).rstrip())
    else:
        told = f"{what}, shared by the team's threads" if place == "team" and what != "private" else what
        out.before.append(f"{'__shared__ ' if place == 'team' else ''}{e.cxx(s.type, s.name)};  // {told}")


def _of_the_team(e: Emitter, d: Directive, s: Symbol, alone: bool = False) -> bool:
    """Whether the copy that `d` makes is shared by threads of parallel regions in it."""
    outside = alone or any(map(d.has, ("target", "teams", "distribute")))
    return s in e.team_shared and not d.has("parallel") and outside


def _lastprivate(e: Emitter, out: Data, s: Symbol, ref: str | None, place: Place | None, *, first: bool) -> None:
    """`place`: of the copy; None for a counter, which the loop declares."""
    target = f"*{ref}" if ref else f"ompls_last_{s.name}"
    if is_vla(s.type) and isinstance(s.type, Array):
        out.outer.append(f"auto *const ompls_last_{s.name} = {s.name};")
        out.before.append(f"{_room(e, s)}  // lastprivate")
        out.before += [f"memcpy({s.name}, ompls_last_{s.name}, {_bytes(e, s)});"] if first else []
        out.read = out.read or first
        out.last.append((f"ompls_last_{s.name}", s))
        return
    if ref is None:
        out.outer.append(f"{e.reference(s.type, f'ompls_last_{s.name}')} = {s.name};")
    out.read = out.read or first
    if place == "stack":
        out.before.append(f"{e.cxx(s.type, s.name)}{f' = {target}' if first else ''};  // lastprivate")
    elif place is not None:
        _declare(e, out, s, place, "lastprivate")
        out.before += [_copied(e, s, target)] if first else []
    out.last.append((target, s))


def _room(e: Emitter, s: Symbol) -> str:
    if s not in e.outer:
        raise Problem(None, f"a copy of the variable-length array '{s.name}'", "its length is not known here")
    return room(e.types, s, e.outer[s], e.dims[s]).rstrip()


def _bytes(e: Emitter, s: Symbol) -> str:
    """The size of an array of variable length."""
    below = e.dims[s] if isinstance(s.type, Array) and is_vla(s.type.of) else ()
    return " * ".join([f"sizeof *{s.name}", e.outer[s], *below])


def _copy(e: Emitter, out: Data, s: Symbol, place: Place) -> None:
    original = f"ompls_first_{s.name}"
    out.outer.append(f"const auto &{original} = {s.name};")
    if is_vla(s.type) and isinstance(s.type, Array):
        out.before += [_room(e, s), f"memcpy({s.name}, {original}, {_bytes(e, s)});  // firstprivate"]
    elif place != "stack" or isinstance(s.type, Array):
        _declare(e, out, s, place, "firstprivate")
        out.before.append(_copied(e, s, original))
    else:
        out.before.append(f"{e.cxx(s.type, s.name)} = {original};  // firstprivate")


def _copied(e: Emitter, s: Symbol, original: str) -> str:
    """The statement that gives a copy its value: of an array that is mapped in part, only that part."""
    if e.plan is not None and s in e.plan.parts:
        first, size = e.plan.parts[s]
        return f"memcpy((char *)&{s.name} + {first}, (const char *)&{original} + {first}, {size});  // what is mapped"
    return f"memcpy(&{s.name}, &{original}, sizeof {s.name});"


def _linear(e: Emitter, out: Data, c: Clause, s: Symbol, nest: Nest | None, place: Place) -> None:  # noqa: PLR0917
    if nest is None:
        raise Problem(c.span, "linear", "it needs a loop")
    step = e.text(c.args[-1]) if c.args else "1"
    out.outer.append(f"{e.reference(s.type, f'ompls_linear_{s.name}')} = {s.name};")
    out.outer.append(f"const {e.cxx(s.type, f'ompls_start_{s.name}')} = {s.name};")
    _declare(e, out, s, place, "linear")
    out.read = True
    out.linear.append(f"{s.name} = ompls_start_{s.name} + (long long)ompls_it * {operand(step, '*', right=True)};")
    out.last.append((f"ompls_linear_{s.name}", s))


def assign(e: Emitter, target: str, s: Symbol) -> str:
    """`target = s` for any type, arrays too: of one that is mapped in part, only that part."""
    if not isinstance(s.type, Array):
        return f"{target} = {s.name};"
    if is_vla(s.type):
        return f"memcpy({target}, {s.name}, {_bytes(e, s)});"
    if e.plan is not None and s in e.plan.parts:
        first, size = e.plan.parts[s]
        return f"memcpy((char *)&{target} + {first}, (const char *)&{s.name} + {first}, {size});  // what is mapped"
    return f"memcpy(&{target}, &{s.name}, sizeof {s.name});"
