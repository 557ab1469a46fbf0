"""The rows of present tables: what the abstract machine knows of each object's copies at one place.

A row is one copy on one device.  It is certain when it is so on every path that leads to the place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ompls.analysis.amount import amount
from ompls.analysis.dataenv.machine.cases import ALL_CLEAN, Cases
from ompls.analysis.dataenv.machine.copies import IN, MOST, Choice, Copies, Copy, unknown
from ompls.analysis.dataenv.machine.values import Obj, Site
from ompls.analysis.dataenv.machine.watch import Visit
from ompls.analysis.dataenv.symbolic import Opaque, Poly
from ompls.analysis.encoding import decoded
from ompls.analysis.features.held import Held, held_by_name, in_variables
from ompls.analysis.features.unlisted import counted
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span, Symbol
from ompls.analysis.model.ctype import Pointer, Record
from ompls.analysis.model.layout import initialised
from ompls.analysis.model.peel import peel
from ompls.analysis.rules.support.framework import Unit
from ompls.analysis.rules.support.lengths import in_c

Certainty = Literal["certain", "possible", "unknown"]
# Who has the newest values: both, one of them (of some or of all bytes), each of another part, nobody.
Valid = Literal["both", "host", "device", "parts", "neither", "unknown"]

_VALID: dict[Valid, str] = {
    "both": "host and device have the same values",
    "host": "the host has newer values",
    "device": "the device has newer values",
    "parts": "the host and the device have newer values of some bytes each",
    "neither": "neither has values",
    "unknown": "who has the newest values is not known",
}
_STORED = ("variable", "heap", "outside")
_LAST = re.compile(r"->|\.")  # before the last member of a name
_MOST_CALLS = 4  # that are named


class Fact(NamedTuple):
    """One thing about a row, in a sentence, and where to look."""

    text: str
    site: Site | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One entry of a device's present table.

    device -- its number, or the expression for it; "" where that is not known
    name -- the variable, or the pointer that the storage was reached through
    section -- the list item that made the copy, as it is written; "" when none did
    references -- what the count may be: `1`, `1 or 2`, `2 or more`, `infinite`
    bytes -- how many, for people; "" when that is not known; size -- their number, when that is known
    several -- it stands for several pieces of storage
    origins -- where list items stand that make it, on some path each
    attached -- the pointers on the device that lead to the copy
    """

    device: str
    name: str
    section: str
    references: str
    bytes: str
    valid: tuple[Valid, ...]
    certainty: Certainty
    origins: tuple[Site, ...]
    attached: tuple[str, ...]
    facts: tuple[Fact, ...]
    size: int | None = None
    several: bool = False

    @property
    def mapped(self) -> Site | None:
        """Where the list item of `section` stands."""
        return self.origins[0] if self.origins else None


class _Seen(NamedTuple):
    """A copy in one case of one visit."""

    visit: int
    case: Copies
    copy: Copy


class _Object(NamedTuple):
    """An object on all paths to the place.

    cases -- with the number of the visit; lost -- on some path nothing is known of it; several -- it stands for many
    """

    obj: Obj
    visits: list[Visit]
    cases: list[tuple[int, Copies]]
    lost: bool
    several: bool
    held: list[Held]
    pointers: frozenset[Symbol]  # of the region around, that no clause lists

    def counted(self, one: _Seen) -> tuple[int, bool]:
        return counted(self.pointers, self.visits[one.visit], self.obj, one.case, one.copy)


def rows(visits: list[Visit], unit: Unit, function: str, pointers: frozenset[Symbol] = frozenset()) -> list[Row]:
    """The rows at a place in `function`, in the order of devices and names; what is not known at all comes last.

    pointers -- those that the region around uses, and that no clause lists
    """
    held = held_by_name(visits, function, unit.model)
    objects = dict.fromkeys(o for v in visits for o in v.state.cases if o.kind in _STORED and not _of_system(o))
    found = [row for obj in objects for row in _of_object(obj, visits, held, unit, pointers)]
    return in_order(found)


def in_order(found: Iterable[Row]) -> list[Row]:
    """By device, name and section; what is not known at all comes last."""
    return sorted(found, key=lambda row: (row.device == "", row.device, row.name, row.section, row.bytes))


def _of_system(obj: Obj) -> bool:
    """Whether it belongs to a system header, or is what a variable of one points to (`stdout`): nobody maps that."""
    if obj.symbol is not None:
        return obj.symbol.from_system_header
    within = obj.key[0] if isinstance(obj.key, tuple) else None
    return isinstance(within, Obj) and _of_system(within)


def _of_object(
    obj: Obj, visits: list[Visit], held: list[Held], unit: Unit, pointers: frozenset[Symbol]
) -> Iterator[Row]:
    given = [visit.state.cases.get(obj, ALL_CLEAN) for visit in visits]
    cases = [(number, case) for number, known in enumerate(given) for case in known or ()]
    whole = _Object(obj, visits, cases, None in given, any(obj in v.state.many for v in visits), held, pointers)
    seen: dict[tuple[str, str, str], list[_Seen]] = {}
    for number, case in cases:
        for copy in _counted(case):
            key = in_c(copy.device), repr(copy.low), repr(copy.high)
            seen.setdefault(key, []).append(_Seen(number, case, copy))
    if whole.lost and not seen:
        fact = Fact("something happens to it that the analysis does not follow")
        yield Row("", obj.name, "", "unknown", "", ("unknown",), "unknown", (), (), (fact,))
    for (device, _, _), copies in seen.items():
        yield _row(whole, device, copies, unit)


def _counted(case: Copies) -> Iterator[Copy]:
    """The copies, without what a caller may have mapped where the walk has seen one on that device."""
    devices = {copy.device for copy in case.copies if copy.refs}
    yield from (copy for copy in case.copies if copy.refs or copy.forever or copy.device not in devices)


def _row(whole: _Object, device: str, seen: list[_Seen], unit: Unit) -> Row:
    copy = seen[0].copy
    certainty: Certainty = "certain"
    if not any(map(_is_there, seen)):
        certainty = "unknown"
    elif whole.lost or whole.several or len({(s.visit, s.case) for s in seen}) < len(whole.cases):
        certainty = "possible"
    origins = tuple([o for o in dict.fromkeys(s.copy.origin for s in seen) if o.function in unit.functions])
    origin = copy.origin if copy.origin in origins else None
    section = _text(origin, unit) if origin is not None else ""
    attached = tuple(dict.fromkeys(_attached(whole, seen, unit)))
    return Row(
        device,
        _name(whole.obj, section),
        section,
        " or ".join(sorted({_references(s.copy, *whole.counted(s)) for s in seen})),
        _bytes(copy, [whole.held[number] for number in dict.fromkeys(s.visit for s in seen)]),
        tuple(dict.fromkeys(_valid(s.case, s.copy) for s in seen)),
        certainty,
        origins if origin is not None else (),
        attached,
        tuple(_once_a_line([*_about(seen, origin, attached), *_why(whole, seen)], unit)),
        _size(copy),
        whole.several,
    )


def describe(row: Row) -> str:
    """What there is to say of a row in one line."""
    parts = [f"references: {row.references}"] if row.references != "unknown" else []
    parts += [row.bytes] if row.bytes else []
    parts += [_newest(row)] if row.valid != ("unknown",) else []
    parts += [f"attached to {', '.join(row.attached)}"] if row.attached else []
    return "; ".join([*([] if row.certainty == "certain" else [row.certainty]), *parts])


def _newest(row: Row) -> str:
    return _VALID["unknown"] if "unknown" in row.valid else " or ".join(_VALID[v] for v in row.valid)


# --- one copy


def _is_there(one: _Seen) -> bool:
    """Whether the walk itself has seen it mapped."""
    return one.copy.refs > 0 or one.copy.forever


def _name(obj: Obj, section: str) -> str:
    name = obj.name or section.partition("[")[0]  # `f(malloc(n))`: no pointer of the caller has it
    return name if section or obj.kind != "outside" else f"*{name}"


def _references(copy: Copy, unlisted: int, others: bool) -> str:
    if copy.forever:
        return "infinite"
    if copy.refs == 0:
        return "unknown"
    more = copy.extra or copy.least or copy.refs >= MOST or others
    return f"{copy.refs + unlisted} or more" if more else str(copy.refs + unlisted)


def _size(copy: Copy) -> int | None:
    return (copy.high - copy.low).constant if copy.low is not None and copy.high is not None else None


def _bytes(copy: Copy, held: list[Held]) -> str:
    size = copy.high - copy.low if copy.low is not None and copy.high is not None else None
    named = in_variables(size, held) if size is not None else None
    if named is None:
        return ""
    return amount(named.constant) if named.constant is not None else f"{in_c(named)} bytes"


def _valid(case: Copies, copy: Copy) -> Valid:
    if unknown(copy) or copy.filled == "unsure":
        return "unknown"
    if copy.old or copy.ahead:
        return "parts" if copy.old and copy.ahead else "host" if copy.old else "device"
    if copy.filled == "no":
        return "neither" if case.host == "no" else "host"
    return "device" if case.host == "no" else "both"


def _text(site: Site, unit: Unit) -> str:
    return decoded(unit.functions[site.function].text[site.span.start : site.span.end])


def _attached(whole: _Object, seen: list[_Seen], unit: Unit) -> Iterator[str]:
    """The pointers to it that lie in storage on the device, and that some list item goes through (5.2 §5.8.6)."""
    through = _gone_through(unit)
    for one in seen:
        state, device = whole.visits[one.visit].state, one.copy.device
        for (holder, at), value in state.cells.items():
            leads = isinstance(value, frozenset) and any(t.obj == whole.obj for t in value)
            if not leads or not _is_on(device, state.cases.get(holder)):
                continue
            member = _member(holder, at, unit)
            if (member or _LAST.split(holder.name)[-1]) in through:
                yield f"{holder.name}.{member}" if member else holder.name


def _is_on(device: Poly, cases: Cases | None) -> bool:
    return any((c.device == device and c.refs) or c.forever for case in cases or () for c in case.copies)


def _member(holder: Obj, at: object, unit: Unit) -> str:
    """The name of the pointer at byte `at` of a structure."""
    t = holder.symbol.type if holder.symbol is not None else None
    members = initialised(t, unit.model) if isinstance(t, Record) else []
    return next((f.name for f, bits in members if bits == at * 8), "") if isinstance(at, int) else ""


def _gone_through(unit: Unit) -> set[str]:
    """The names of the pointers, also of members, that list items in the unit go through: `p` of `s.p[0:n]`."""
    directives = [s.directive for content in unit.functions.values() for s in content.directives]
    items = [i.expr for d in (*unit.directives, *directives) for c in d.clauses for i in c.items if i.expr is not None]
    found: set[str] = set()
    for expr in items:
        at = peel(expr, ast.Section, ast.Index)
        if at is not expr and isinstance(at, (ast.Name, ast.Member)) and isinstance(at.type, Pointer):
            found.add(at.name if isinstance(at, ast.Name) else at.field)
    return found


# --- what there is to say


def _about(seen: list[_Seen], origin: Site | None, attached: tuple[str, ...]) -> Iterator[Fact]:
    copy = seen[0].copy
    if origin is not None:
        yield Fact(f"mapped here: {copy.how}" + (", until `target exit data`" if copy.lasting else ""), origin)
    if copy.forever:
        yield Fact("`declare target`: it is on every device as long as the program runs")
    for one in seen:
        yield from [Fact("the device's newer values are written here", w.site) for w in one.copy.ahead]
        yield from [Fact("the host's newer values are written here", w.site) for w in one.copy.old]
        if one.copy.filled == "no" and not one.copy.ahead:
            given = "there were no values to copy" if one.copy.how in IN else "the device's copy was given no values"
            yield Fact(given)
        if one.case.freed:
            yield Fact("the host's storage was freed", one.case.freed)
    if any(s.copy.lent for s in seen):
        yield Fact("other code has got its address on the device")
    yield from [Fact(f"`{name}` on the device points to it") for name in attached]


def _once_a_line(facts: list[Fact], unit: Unit) -> Iterable[Fact]:
    """Each fact once for a line of the text: what is said of `b[i].x` need not be said of `b[i].y` beside it."""
    told: dict[tuple[str, str, int], Fact] = {}
    for fact in facts:
        function, span = fact.site if fact.site is not None else ("", Span(0, 0))
        content = unit.functions.get(function)
        line = content.text.count(b"\n", 0, span.start) if content is not None else span.start
        told.setdefault((fact.text, function, line), fact)
    return told.values()


def _why(whole: _Object, seen: list[_Seen]) -> Iterator[Fact]:
    """Why it is not certain."""
    if any(s.copy.extra for s in seen):
        yield Fact("a caller, or another file, may have mapped it before")
    if whole.lost:
        yield Fact("on some path something happens to it that the analysis does not follow")
    if whole.several:
        yield Fact("it stands for several pieces of storage that are allocated at one place")
    there = {(s.visit, s.case) for s in seen}
    absent = {number for number, case in whole.cases if (number, case) not in there}
    if not absent or not any(map(_is_there, seen)):
        return
    yield Fact("it is mapped on some of the paths that lead here")
    for case in dict.fromkeys(case for _, case in whole.cases):
        if case.way is not None and case.way.site != Site("", Span(0, 0)):
            yield _decision(case.way.site)
    with_it = {number for number, _ in there} - absent
    calls = dict.fromkeys(v.calls[-1] for n, v in enumerate(whole.visits) if v.calls and n in with_it)
    yield from [Fact("it is mapped when the call is this one", site) for site in list(calls)[:_MOST_CALLS]]


def _decision(site: Site | Choice) -> Fact:
    if isinstance(site, Site):
        return Fact("it depends on what is decided here", site)
    difference, op = site.says
    if any(isinstance(atom, Opaque) for atom in difference.atoms()):
        return Fact("it depends on a condition")
    falls = next((c for m, c in difference.terms.items() if m), 0) < 0
    comparison = f"{in_c(-difference)} >" if falls and op == "<" else f"{in_c(difference)} {op}"
    return Fact(f"it depends on whether {comparison} 0")
