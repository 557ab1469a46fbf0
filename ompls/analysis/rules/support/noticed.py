"""What the abstract machine noticed (`dataenv/machine`), as the rules of the mapping group read it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ompls.analysis.dataenv.called import known_of
from ompls.analysis.dataenv.faults import STALE, Does, Event, HostStale, LostResult, Risk
from ompls.analysis.dataenv.machine.analysis import events_of_unit
from ompls.analysis.dataenv.machine.values import Site
from ompls.analysis.dataenv.paths import root
from ompls.analysis.diagnostic import Severity
from ompls.analysis.model import ast
from ompls.analysis.model.ast import FunctionDef, Span
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Floating, Integer
from ompls.analysis.model.omp import Clause, Directive, ListItem
from ompls.analysis.model.peel import strip
from ompls.analysis.model.tu import Content, Region
from ompls.analysis.rules.support.framework import Change, Finding, Scene, Unit

# With these, a device reaches the host's memory: nothing is absent, and there is one copy only.
SHARED_MEMORY = frozenset(("unified_shared_memory", "unified_address", "self_maps"))

# What is said of the places that belong to an event.
WORDS = {
    Does.MAPPED: "mapped here",
    Does.MAPPED_BEFORE: "already mapped here",
    Does.MAPPED_HERE: "mapped on this device here",
    Does.MAPPED_STRUCTURE: "the structure is mapped here",
    Does.MAPPED_BEHIND: "what is mapped begins further on",
    Does.FREED: "freed here",
    Does.ACCESSED: "accessed here",
    Does.READ: "read here",
    Does.HOST_READS: "the host reads it here",
    Does.HOST_READS_OLD: "the host reads old values here",
    Does.HOST_WRITES: "the host writes it here",
    Does.DEVICE_READS_OLD: "the device reads old values here",
    Does.DEVICE_WRITES: "written on the device here",
    Does.COUNTS_ARGUMENTS: "in a run without arguments",
}

_MOST_NAMED = 3  # in one message
_COMPUTING = frozenset(("+", "-", "*", "/", "%"))


class Noticed(NamedTuple):
    """An event in one external declaration, with its related places: in this one, and in others.

    aware -- somewhere the unit finds out whether devices share memory: it knows what comes back and what does not
    """

    event: Event
    here: tuple[tuple[Span, str], ...]
    elsewhere: tuple[tuple[Content, Span, str], ...]
    aware: bool


def follow(unit: Unit) -> None:
    """Fill `Unit.noticed`: the events by function, and by "" whether the unit is `aware`."""
    unit.noticed.update(events_of_unit(unit))
    unit.noticed[""] = any(_asks(e, unit) for found in unit.noticed.values() for e in found)


def noticed(content: Content, unit: Unit) -> tuple[Noticed, ...]:
    """What was noticed in `content`; the whole unit is followed when this is asked for the first time."""
    node = content.node
    if not isinstance(node, FunctionDef):
        return ()
    if "" not in unit.noticed:
        follow(unit)
    events: tuple[Event, ...] | None = unit.noticed.get(node.symbol.name)
    if not events or unit.functions.get(node.symbol.name) is not content:
        return ()  # it may be defined again further down
    return tuple([_placed(event, node.symbol.name, unit) for event in events])


def _placed(event: Event, name: str, unit: Unit) -> Noticed:
    here = tuple([(site.span, WORDS[does]) for site, does in event.related if site.function == name])
    others = ((unit.functions.get(s.function), s.span, WORDS[does]) for s, does in event.related if s.function != name)
    elsewhere = tuple([(content, span, text) for content, span, text in others if content is not None])
    return Noticed(event, here, elsewhere, bool(unit.noticed[""]))


def _wants_old(event: Event, unit: Unit) -> bool:
    """The host compares what `calloc` gave it with 0, which the device has not written: `assert(a[i] == 0)`."""
    if not isinstance(event, (LostResult, HostStale)):
        return False
    reads = event.places(Does.HOST_READS_OLD) or [event.site]
    for function, span in reads:
        content = unit.functions.get(function)
        for n in content.node.walk() if content is not None and b"alloc" in content.text else ():
            if isinstance(n, ast.Binary) and n.op in ("==", "!=") and span in (n.left.span, n.right.span):
                read, other = (n.left, n.right) if n.left.span == span else (n.right, n.left)
                if fold(other) == 0 and content is not None and _is_cleared(root(read), content):
                    return not any(_clears(site, unit) for site in event.places(Does.DEVICE_WRITES))
    return False


def _is_cleared(symbol: ast.Symbol | None, content: Content) -> bool:
    """Whether the function gives a pointer what `calloc` or the like returns."""
    for n in content.node.walk() if content.node is not None and symbol is not None else ():
        given = n.init if isinstance(n, ast.VarDecl) and n.symbol is symbol else None
        if isinstance(n, ast.Assign) and isinstance(n.target, ast.Name) and n.target.symbol is symbol:
            given = n.value
        given = strip(given) if given is not None else None
        row = known_of(given) if isinstance(given, ast.Call) else None
        if row is not None and row.allocates is not None and row.allocates.filled == "zeros":
            return True
    return False


def _clears(site: Site, unit: Unit) -> bool:
    """Whether what is written at a place is 0, or not known."""
    content = unit.functions.get(site.function)
    stored = [
        n.value for n in (content.node.walk() if content is not None and content.node is not None else ())
        if isinstance(n, ast.Assign) and n.op == "=" and n.target.span == site.span
    ]  # fmt: skip
    return not stored or any(fold(value) == 0 for value in stored)


def _asks(event: Event, unit: Unit) -> bool:
    """A region gives a scalar a constant that does not come back: programs find out so whether a device shares memory.

    Such a region does nothing else: one that works on arrays, or in a loop, is there for its results.
    """
    if not isinstance(event, LostResult) or event.how not in ("to", "alloc"):
        return False
    if any(_is_used(site, unit) for site in event.places(Does.HOST_READS_OLD)):
        return False
    for name, span in dict.fromkeys(event.places(Does.DEVICE_WRITES)):
        content = unit.functions.get(name)
        for n in content.node.walk() if content is not None else ():
            if isinstance(n, ast.Assign) and n.target.span == span and isinstance(n.value, ast.IntLiteral):
                scalar = isinstance(n.target.type, (Integer, Floating)) and isinstance(n.target, ast.Name)
                return scalar and n.op == "=" and content is not None and not _works(content, span)
    return False


def _is_used(site: Site, unit: Unit) -> bool:
    """Whether a program computes with what it reads there, or prints it: it does not only ask what it is."""
    content = unit.functions.get(site.function)
    for n in content.node.walk() if content is not None else ():
        operands: tuple[ast.Expr, ...] = ()
        if isinstance(n, ast.Call):
            operands = n.args
        elif isinstance(n, ast.Assign) and n.op != "=":
            operands = (n.value,)
        elif isinstance(n, ast.Binary) and n.op in _COMPUTING:
            operands = (n.left, n.right)
        if any(strip(e).span == site.span for e in operands):
            return True
    return False


def _works(content: Content, span: Span) -> bool:
    """Whether the region around a place has a loop or an access to an array at a place that is not fixed."""
    bodies = (r.stmt.body for r in content.regions if r.stmt.span.start <= span.start and span.end <= r.stmt.span.end)
    return any(
        isinstance(n, (ast.For, ast.While)) or (isinstance(n, ast.Index) and fold(n.index) is None)
        for body in bodies
        if body is not None
        for n in body.walk()
    )


def events(scene: Scene, kind: type[Event], *hows: str) -> Iterator[Noticed]:
    """The events of a kind (in one of these ways) in the rule's declaration, where devices have memory of their own."""
    if scene.content is None or scene.unit.told.requires & SHARED_MEMORY:
        return
    for found in noticed(scene.content, scene.unit):
        if type(found.event) is kind and (not hows or found.event.how in hows):
            yield found


def certain(scene: Scene, kind: type[Event], *hows: str) -> Iterator[Noticed]:
    """Those of `events` that happen on every path."""
    return (found for found in events(scene, kind, *hows) if found.event.certainty == "certain")


def firsts(found: Iterator[Noticed]) -> Iterator[Noticed]:
    """The first place of those that suffer from the same writes of the same variable."""
    seen: set[object] = set()
    for one in sorted(found, key=lambda f: f.event.site):
        key = (one.event.name, one.event.related)
        if one.event.certainty == "certain" and key not in seen:
            seen.add(key)
            yield one


def at_one_place(found: Iterable[Noticed]) -> Iterator[Noticed]:
    """One for each place, with what is related to any that is noticed there: one list item, many accesses."""
    places: dict[tuple[object, str], Noticed] = {}
    for one in found:
        key = (one.event.site, one.event.certainty)
        first = places.get(key)
        if first is None:
            places[key] = one
        else:
            places[key] = first._replace(
                here=tuple(dict.fromkeys((*first.here, *one.here))),
                elsewhere=tuple(dict.fromkeys((*first.elsewhere, *one.elsewhere))),
            )
    yield from places.values()


def severity_of(found: Noticed, scene: Scene) -> Severity:
    """A warning for what is certain, a hint for what may be and for what stands in something not understood."""
    region = region_at(scene, found.event.site.span)
    if isinstance(found.event, STALE) and (found.aware or _wants_old(found.event, scene.unit)):
        return "hint"
    return "hint" if found.event.certainty == "possible" or (region is not None and region.tainted) else "warning"


def finding(found: Noticed, message: str, severity: Severity, *changes: Change) -> Finding:
    """The finding that an event makes."""
    return Finding(found.event.site.span, message, severity, found.here, changes, elsewhere=found.elsewhere)


def unsure_of(found: Mapping[str, Noticed], cure: str = "") -> Finding:
    """The one hint of a function for the pointers, by their names, that it follows and that only others can have mapped."""
    (_, first), *others = ordered = sorted(found.items(), key=lambda named: named[1].event.site)
    also = [(one.event.site.span, f"`{name}` is followed here") for name, one in others]
    shown = [f"`{name}`" for name, _ in ordered][:_MOST_NAMED]
    more = len(found) - len(shown)
    last = f"{more} more" if more else shown.pop()
    what = f"{', '.join(shown)} and {last} point" if shown else f"{last} points"
    message = f"what {what} to is not mapped on every path that comes here, as far as can be seen{cure}"
    return finding(first._replace(here=(*first.here, *also)), message, "hint")


def region_at(scene: Scene, span: Span) -> Region | None:
    """The target region that holds a place."""
    regions = scene.content.regions if scene.content is not None else []
    return next((r for r in regions if r.stmt.span.start <= span.start and span.end <= r.stmt.span.end), None)


def risk_at(scene: Scene, span: Span) -> str:
    """What a transfer at a place might overwrite that is newer: OTHERS or THESE (see `Risk`); '': nothing."""
    found = [n.event for n in noticed(scene.content, scene.unit)] if scene.content is not None else []
    return max([event.name for event in found if isinstance(event, Risk) and event.site.span == span], default="")


def list_item_at(scene: Scene, span: Span) -> tuple[Directive, Clause, ListItem] | None:
    """The list item at a place, with its clause and directive."""
    for directive in scene.directives:
        if directive.span.start <= span.start and span.end <= directive.span.end:
            for clause in directive.clauses:
                for item in clause.items:
                    if item.span == span:
                        return directive, clause, item
    return None


def other_type(scene: Scene, span: Span, name: str, kind: str, safe: bool = True) -> tuple[Change, ...]:
    """The fix that gives a list item another map type: the item alone, which gets a clause of its own when others are
    in its clause.  `always` would copy over what is present, so that a clause with modifiers is left as it is."""
    found = list_item_at(scene, span)
    if found is None or (clause := found[1]).keyword_span is None or clause.modifiers:
        return ()
    title = f"Map `{name}` {kind}"
    if len(clause.items) == 1:
        return (Change(title, Span(*clause.keyword_span), kind, safe=safe),)
    rest = [item for item in clause.items if item is not found[2]]
    text = f"{', '.join(item.text for item in rest)}) map({kind}: {found[2].text}"
    quotes = tuple([(item.text, item.span) for item in clause.items])
    return (Change(title, Span(clause.items[0].span.start, clause.items[-1].span.end), text, safe=safe, quotes=quotes),)
