"""Accesses of memory: what reads and writes do to an object's host and device copies, and what is wrong with them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ompls.analysis.dataenv.faults import (
    OTHERS,
    STALE,
    THESE,
    AbsentItem,
    DeviceStale,
    Does,
    Event,
    FreedUsed,
    Garbage,
    GarbageIfNew,
    HostDereference,
    HostStale,
    LostResult,
    Seen,
    SentElsewhere,
    TooShort,
    Unwritten,
)
from ompls.analysis.dataenv.machine import copies as cp
from ompls.analysis.dataenv.machine.cases import ALL_CLEAN, Cases
from ompls.analysis.dataenv.machine.copies import Copies, Copy, Way
from ompls.analysis.dataenv.machine.events import Outcome
from ompls.analysis.dataenv.machine.naming import name_of, pointer_of, worst
from ompls.analysis.dataenv.machine.objects import Loop, Store
from ompls.analysis.dataenv.machine.values import (
    Loc,
    Obj,
    Range,
    Site,
    apart,
    spread,
)
from ompls.analysis.dataenv.machine.written import Lost, Written, missed, touched
from ompls.analysis.dataenv.symbolic import ZERO, Atom, Poly
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Node, Symbol
from ompls.analysis.model.ctype import Pointer

# What a region may find of what it accesses: in this order.
_ON_DEVICE = (AbsentItem, TooShort, Garbage, GarbageIfNew, LostResult, SentElsewhere, DeviceStale)
Checked = tuple[type[Event] | None, Outcome, Copy | None]


class Memory(Store):
    """Reads and writes, on the host or in the region that is walked."""

    # --- accesses

    def range_of(self, loc: Loc) -> Range:
        """What an access at `loc` touches over the loops that belong together with it."""
        first = len(self.loops)
        if self.region is not None:
            first = self.region.loops
        else:
            while first > 0 and self.loops[first - 1].plain:
                first -= 1
        loops = self.loops[first:]
        if loc.low is None or not loops:
            sure = not loops or self.conditions == loops[0].conditions
            return spread(loc.low, loc.size, [], sure, bool(loops) and self.in_some(loops[0]))
        names = loc.low.symbols()
        first_in = next((loop for loop in loops if loop.range.symbol in names), None)
        sure = first_in is None or self.conditions == first_in.conditions
        some = first_in is not None and self.in_some(first_in)
        return spread(loc.low, loc.size, [loop.range for loop in loops], sure, some)

    def all_over(self, loc: Loc) -> frozenset[Symbol]:
        names = loc.low.symbols() if loc.low is not None else frozenset()
        varying = [loop for loop in self.loops if loop.range.symbol in names]
        size = loc.obj.size
        if not varying or size is None or self.now is None or loc.obj in self.now.many:
            return frozenset()
        if varying[0].conditions != self.conditions or self.doubts or self.tasks:
            return frozenset()
        r = spread(loc.low, loc.size, [loop.range for loop in varying], True)
        step = r.comb[0] if r.comb is not None else 0
        first = r.low.constant if r.low is not None else None
        rest = (size - r.high).constant if r.high is not None else None
        if first is None or rest is None or not r.sure or not 0 <= first <= step or not 0 <= rest <= step:
            return frozenset()
        whole = r.dense or (r.comb is not None and first + r.comb[1] + rest == step)
        return frozenset([loop.range.symbol for loop in varying if loop.range.symbol is not None and whole])

    def in_some(self, loop: Loop) -> bool:
        """Whether some iteration of `loop` comes here: all conditions in it are on what varies with it."""
        return self.conditions - self.varied == loop.conditions - loop.varied

    def access(self, locs: list[Loc], node: Node, read: bool, write: bool, through: bool = False) -> None:
        """`node` reads or writes one of `locs`; `through` a pointer."""
        if self.now is None or not locs:
            if self.now is not None and self.region is not None and write:
                self.filled_on_device(None)
                self.perhaps_filled(self.now.cases)
            return
        if self.region is not None:
            self.on_device(locs, node, read, write, through)
        else:
            self.on_host(locs, node, read, write, through)

    def perhaps_filled(self, objs: Iterable[Obj]) -> None:
        """The region may have given these values."""
        assert self.region is not None
        for obj in list(objs):
            self.region.written.setdefault(obj, set()).add(None)
            copies = [copy for case in self.cases_of(obj) or () for copy in case.copies]
            if any(copy.filled == "no" or copy.part is not None for copy in copies):
                self.change(obj, cp.perhaps_filled)

    def on_host(self, locs: list[Loc], node: Node, read: bool, write: bool, through: bool) -> None:
        assert self.now is not None
        if through and all(loc.obj.kind in ("device", "lent") for loc in locs):
            self.judge(HostDereference(self.site(node), name_of(node), "certain"), "bad")
            if write:
                self.filled_on_device([loc.obj for loc in locs])  # that is what was meant
            return
        tracked = [loc for loc in locs if self.cases_of(loc.obj) != ALL_CLEAN]
        if not tracked:
            return
        if read:
            self.recorder.risks(self.site(node), max([self._fetching(loc) for loc in tracked]))
        if read and len(tracked) == len(locs):
            self.host_reads(locs, node)
        if write:
            for loc in tracked:
                r = self.range_of(loc)
                site = self.site(node)

                def wrote(case: Copies, r: Range = r, site: Site = site) -> Copies:
                    return cp.host_writes(case, r, site, self.positive)

                self.change(loc, wrote, len(locs) > 1)

    def host_reads(self, locs: list[Loc], node: Node) -> None:
        assert self.now is not None
        answers: list[tuple[Outcome, Written | Lost | None]] = []
        ways: list[Way | None] = []
        for loc in locs:
            cases = self.cases_of(loc.obj)
            if cases is None:
                return
            r = self.range_of(loc)
            answers += [self._behind(case, r, loc.obj.size) for case in cases]
            ways += [case.way for case in cases]
        found = [w for o, w in answers if o == "bad" and w is not None] or [w for _, w in answers if w is not None]
        if not found:
            return
        behind = min(found, key=_place)  # the cases have no order
        if any(loc.obj in self.now.many for loc in locs) and any(o != "bad" for o, _ in answers):
            return
        outcome = self.on_some_path([o for o, _ in answers], ways, len(locs) == 1)
        here = self.site(node)
        if isinstance(behind, Lost) and behind.how in (cp.UNWRITTEN, cp.UNTOUCHED):
            what = "all" if behind.how == cp.UNTOUCHED else "between" if behind.range.comb is not None else ""
            event: Event = Unwritten(behind.by, name_of(node), "certain", (Seen(here, Does.HOST_READS),), what)
        elif isinstance(behind, Lost) and behind.how != "associate":  # that ends no map, whose type would be wrong
            related = (Seen(behind.site, Does.DEVICE_WRITES), Seen(here, Does.HOST_READS_OLD))
            event = LostResult(behind.by, name_of(node), "certain", related, behind.how)
        else:
            event = HostStale(here, name_of(node), "certain", (Seen(behind.site, Does.DEVICE_WRITES),))
        self.judge(event, outcome)

    def _fetching(self, loc: Loc) -> str:
        """What `target update from` before a read of the host's at `loc` might overwrite (see `Recorder.risks`)."""
        cases, r = self.cases_of(loc.obj), self.range_of(loc)
        copies = [copy for case in cases or () for copy in case.copies]
        if cases is None or any(cp.unknown(c) or not self._is_default(c.device) for c in copies):
            return THESE
        whole = Range(r.low, r.high)
        if any(not apart(w.range, whole, self.positive) for c in copies for w in c.old):
            return THESE
        return OTHERS if any(c.old or c.extra for c in copies) else ""  # what others have mapped they may have written

    def _sending(self, case: Copies, r: Range) -> str:
        """What `target update to` of all of the object before the region might overwrite.

        THESE where not even what the host has just written would get to the region.
        """
        assert self.region is not None
        copy, _ = cp.find(case, self.region.device, r.low, r.high, self.positive)
        if not self._is_default(self.region.device):
            return THESE
        return OTHERS if copy is None or copy.ahead or copy.extra or cp.unknown(copy) else ""

    def _is_default(self, device: Poly) -> bool:
        """Whether it is the device of directives without a `device` clause."""
        assert self.now is not None
        return device == (self.now.device if self.now.device is not None else ZERO)

    def _behind(self, case: Copies, r: Range, size: Poly | None) -> tuple[Outcome, Written | Lost | None]:
        sources: list[Iterable[Written | Lost]] = [case.lost, *[copy.ahead for copy in case.copies]]
        for written in sources:
            found, what = touched(written, r, size, self.positive)
            if found != "no":
                return ("bad" if found == "yes" else "perhaps"), what
        return "fine", None

    def on_device(self, locs: list[Loc], node: Node, read: bool, write: bool, through: bool) -> None:
        assert self.now is not None
        assert self.region is not None
        if locs[0].obj.kind == "device":
            if through:
                self.within(locs, node)
            self.in_device_memory(locs, node, read, write)
        if len(locs) == 1 and locs[0].obj.kind == "lent":
            if read:
                self.read_lent(locs[0], node, write)
            if write:
                self.through_lent(locs[0], node)
        if any(loc.obj.kind in ("device", "lent", "null") or loc.obj in self.region.local for loc in locs):
            return
        if through and (freed := self.freed_at(locs)) is not None:
            related = (Seen(freed, Does.FREED),)
            self.judge(FreedUsed(self.site(node), pointer_of(node), "certain", related, "followed"), "bad")
            return
        answers: list[Checked] = []
        ways: list[Way | None] = []
        ranges = [self.range_of(loc) for loc in locs]
        for loc, r in zip(locs, ranges, strict=True):
            cases = self.cases_of(loc.obj)
            if cases is None or (not through and self.untracked(loc.obj)):
                return
            if any(c.freed for c in cases) and not all(c.freed and not c.copies for c in cases):
                return
            if isinstance(loc.type, Pointer) and any(c.copies for c in cases):
                continue  # a pointer on the device is set when what it points to is mapped
            reads = "both" if read and write else "read" if read else ""
            answers += [self._device_check(case, r, reads, loc.obj.size, self.site(node)) for case in cases]
            ways += [case.way for case in cases]
            if read:
                self.recorder.risks(self.site(node), max([self._sending(case, r) for case in cases]))
            if read and len(locs) == 1:
                self._partly_filled(cases, loc, r, node)
        if through:
            self.follows(locs, node)
        some = any(loc.obj in self.now.many for loc in locs)
        if answers and not (some and any(o != "bad" for _, o, _ in answers)):
            self._report(answers, node, locs, ways)
        if write:
            site, device = self.site(node), self.region.device
            for loc, whole in zip(locs, ranges, strict=True):
                if isinstance(loc.type, Pointer):
                    self.perhaps_filled([loc.obj])
                    continue  # what a device stores in a pointer is of no use to the host
                self.region.written.setdefault(loc.obj, set()).add(loc.low)
                r = whole._replace(sure=False, some=False) if self.region.chosen else whole

                def wrote(case: Copies, r: Range = r) -> Copies:
                    copy, _ = cp.find(case, device, r.low, r.high, self.positive)
                    copy = copy or next((c for c in case.copies if c.device == device), None)
                    return case if copy is None else cp.device_writes(case, copy, r, site, self.positive)

                self.change(loc, wrote, len(locs) > 1)

    @abstractmethod
    def freed_at(self, locs: list[Loc]) -> Site | None:
        """Where all host storage that `locs` may be in was certainly freed."""

    @abstractmethod
    def follows(self, locs: list[Loc], node: Node) -> None:
        """A region follows a pointer to `locs`."""

    @abstractmethod
    def within(self, locs: list[Loc], node: Node) -> None:
        """Whether what is accessed lies in what was allocated."""

    @abstractmethod
    def filled_on_device(self, targets: list[Obj] | None) -> None:
        """Something was stored in memory that the program has allocated on the device; None: in any of it."""

    @abstractmethod
    def in_device_memory(self, locs: list[Loc], node: Node, read: bool, write: bool) -> None:
        """A region reads or writes what the program has allocated on the device itself."""

    def through_lent(self, loc: Loc, node: Node) -> None:
        """A write to an object's copy by its device address."""
        assert self.region is not None
        real, r, site, device = loc.obj.of, self.range_of(loc), self.site(node), self.region.device

        def wrote(case: Copies) -> Copies:
            mine = [c for c in case.copies if c.device == device and c.refs and not c.extra]
            return cp.device_writes(case, mine[0], r, site, self.positive) if len(mine) == 1 else case

        if real is not None and not isinstance(loc.type, Pointer) and not self.region.chosen:
            self.region.written.setdefault(real, set()).add(None)
            self.change(real, wrote)

    def read_lent(self, loc: Loc, node: Node, write: bool) -> None:
        """A read of an object's copy by its device address: it may not have got its values."""
        assert self.region is not None
        real, r = loc.obj.of, self.range_of(loc)
        cases = self.cases_of(real) if real is not None else None
        if real is None or not cases or any(c.freed for c in cases) or isinstance(loc.type, Pointer):
            return
        reads, site = "both" if write else "read", self.site(node)
        found = [self._device_check(case, r, reads, real.size, site) for case in cases]
        if all(kind in (None, Garbage, DeviceStale) for kind, _, _ in found):
            self._report(found, node, [loc], [None] * len(found))

    def _partly_filled(self, cases: Cases, loc: Loc, r: Range, node: Node) -> None:
        """Of what is read, an end (or what lies between elements that have one) has no value yet; that counts if the
        region does not give it one, too."""
        assert self.now is not None
        assert self.region is not None
        if not r.sure or self.region.quiet or self.conditions != self.region.conditions or loc.obj in self.now.many:
            return
        copies = [cp.find(case, self.region.device, r.low, r.high, self.positive)[0] for case in cases]
        parts = {c.part if c is not None else None for c in copies}
        part = parts.pop() if len(parts) == 1 else None
        if part is not None and (cp.lacks_of(part, r, self.positive) or cp.has_gap(part, r, self.positive)):
            event = self._event(Garbage, self.site(node), name_of(node), copies[0])
            self.region.partial.append((event, loc.obj, part, loc.low))

    def partly_filled(self) -> None:
        """At the end of a region: what it has read and nobody has written, but for elements behind their own reads."""
        assert self.region is not None
        for event, obj, part, low in self.region.partial if self.now is not None else ():
            copies = [copy for case in self.cases_of(obj) or () for copy in case.copies]
            own = low is not None and self.region.written.get(obj) == {low} and not any(cp.open_to(c) for c in copies)
            if own or any(copy.part == part for copy in copies):
                self.judge(event, "bad")

    def untracked(self, obj: Obj) -> bool:
        """A variable that no region's clauses speak of: a global in a function that runs on the device."""
        symbol = obj.symbol
        if obj.kind != "variable" or symbol is None or self.now is None:
            return False
        cases = self.cases_of(obj)
        return cases is not None and not any(c.copies for c in cases)

    def _device_check(self, case: Copies, r: Range, reads: str, size: Poly | None, here: Site) -> Checked:
        assert self.region is not None
        device = self.region.device
        copy, how = cp.find(case, device, r.low, r.high, self.positive)
        if copy is None:
            if how == "?":
                return None, "fine", None
            mine = next((c for c in case.copies if c.device == device), None)
            if mine is not None:
                return TooShort, "bad" if r.sure else "fine", mine
            return AbsentItem, "bad", None
        others = [c for c in case.copies if c.device == device and c is not copy and c.refs]
        if how == "over" or (how == "?" and not others and self.lacks(copy, r)):
            return TooShort, "bad" if r.sure else "fine", copy
        if self.region.quiet:
            return None, "fine", copy
        if copy.extra and copy.refs == 0:
            own = next(
                (c for c in case.copies if c.device == device and c.refs and c.how in ("to", "from", "tofrom")), None
            )
            if own is not None and r.sure:
                # What the caller may have mapped is hidden by the clause that says less.
                return (TooShort, "bad", own) if cp.lacks(own, r, self.positive) else (None, "fine", own)
            return AbsentItem, "perhaps", copy
        if not reads:
            return None, "fine", copy
        if reads == "both" and copy.first == here:
            return Garbage, "bad", copy  # its first execution finds nothing
        alone = copy.refs > 0 and not copy.extra  # what other code has mapped keeps what the device wrote
        if copy.how in cp.IN and alone and touched(copy.ahead, r, size, self.positive)[0] == "no":
            # Who sends the host's values over the device's own, into the same copy, wants to begin again from them.
            gone = [lost for lost in case.lost if lost.by != copy.origin and lost.how not in ("update", cp.UNWRITTEN)]
            found, behind = touched(gone, r, size, self.positive)
            if isinstance(behind, Lost) and found == "yes":
                return (
                    LostResult,
                    "bad",
                    copy._replace(old=(Written(behind.range, behind.site),), origin=behind.by, how=behind.how),
                )
        elsewhere = missed(copy.sent, r, size, device, self.positive)
        if elsewhere is not None:
            return SentElsewhere, "bad", copy._replace(old=(Written(elsewhere.range, elsewhere.site),))
        found, old = touched(copy.old, r, size, self.positive)
        came = found == "yes" and copy.how not in cp.IN  # values came after it was made: they were not sent
        if copy.filled in ("no", "unsure") and not came:
            return Garbage if copy.filled == "no" else GarbageIfNew, "bad", copy
        if isinstance(old, Written):
            # what is told about it is the one that is read
            return DeviceStale, "bad" if found == "yes" else "perhaps", copy._replace(old=(old,))
        return None, "fine", copy

    def lacks(self, copy: Copy, r: Range) -> bool:
        """Whether the copy is certainly too short for `r`, be it in the last iteration of the loops around."""
        if cp.lacks(copy, r, self.positive):
            return True
        for at in self.ends_of_loops(r.low, r.high, copy.low, copy.high):
            low, high, copy_low, copy_high = (p and p.substitute(at) for p in (r.low, r.high, copy.low, copy.high))
            if cp.lacks(copy._replace(low=copy_low, high=copy_high), Range(low, high), self.positive):
                return True
        return False

    def ends_of_loops(self, *polys: Poly | None) -> Iterator[dict[Atom, Poly]]:
        """Values of the variables of loops around the region in their first, and in their last iterations."""
        names = {s for p in polys if p is not None for s in p.symbols()}
        around = self.loops if self.region is None else self.loops[: self.region.loops]
        if self.tasks or any(loop.conditions != self.conditions for loop in around):
            return  # it may be that not all iterations come here
        loops = [loop.range for loop in around if loop.range.symbol in names and loop.range.exact]
        known = [r for r in loops if r.lower is not None and r.upper is not None]
        if known and len(known) == len(loops):
            yield {r.symbol: r.lower for r in known if r.symbol is not None and r.lower is not None}
            yield {r.symbol: r.upper for r in known if r.symbol is not None and r.upper is not None}

    def _report(self, answers: list[Checked], node: Node, locs: list[Loc], ways: list[Way | None]) -> None:
        if all(k is None for k, _, _ in answers) and not (self.conditional and self.recorder.tentative):
            return
        here = self.site(node)
        for kind in _ON_DEVICE:
            name = pointer_of(node) if kind is AbsentItem else name_of(node)
            outcomes: list[Outcome] = [o if k is kind else "fine" for k, o, _ in answers]
            copies = [c for k, _, c in answers if k is kind and c is not None]
            copy = min(copies, key=lambda c: (c.origin, [w.site for w in c.old])) if copies else None
            if kind not in [k for k, _, _ in answers]:
                if self.conditional and self.recorder.tentative:
                    self.judge(self._event(kind, here, name, copy), "fine")
                    # a visit before has put it at the list item, which nothing leads to now
                    for event in list(self.recorder.tentative.values()):
                        if type(event) is kind and event.name == name and here in [seen.site for seen in event.related]:
                            self.judge(event, "fine")
                continue
            event = self._event(kind, here, name, copy)
            if kind is AbsentItem and len(locs) == 1 and isinstance(node, (ast.Index, ast.Unary)):
                event = replace(event, how=self.count_of(locs[0].obj.size, locs[0].size))
            found = worst(outcomes)
            if kind is AbsentItem:
                found = self.on_some_path(outcomes, [_by_itself(way) for way in ways], len(locs) == 1)
            self.judge(event, found)

    def count_of(self, size: Poly | None, element: Poly | None) -> str:
        """How many elements of a size fit, as an expression that can be written in the function; ''."""
        each = element.constant if element is not None else None
        count = size.divided(each) if size is not None and each else None
        if count is None:
            return ""
        mine = all(isinstance(a, Symbol) and self.names().get(a.name) is a for a in count.atoms())
        return repr(count) if mine else ""

    @abstractmethod
    def names(self) -> dict[str, Symbol]:
        """Parameters and local variables of the function that is walked."""

    def _event(self, kind: type[Event], here: Site, name: str, copy: Copy | None) -> Event:
        if copy is None or kind is AbsentItem:
            return kind(here, name, "certain")
        if kind is TooShort:
            return kind(copy.origin, name, "certain", (Seen(here, Does.ACCESSED),), copy.how)
        if kind in (Garbage, GarbageIfNew):
            return kind(copy.origin, name, "certain", (Seen(here, Does.READ),), copy.how)
        if kind is LostResult:
            places = (Seen(copy.old[0].site, Does.DEVICE_WRITES), Seen(here, Does.DEVICE_READS_OLD))
            return kind(copy.origin, name, "certain", places, copy.how)
        related = (Seen(copy.old[0].site, Does.HOST_WRITES),) if copy.old else ()
        return kind(here, name, "certain", related, copy.how)

    def on_some_path(self, outcomes: list[Outcome], ways: list[Way | None], one: bool = True) -> Outcome:
        """How bad it is: also when it is so by one decision, which nothing after it takes back.

        outcomes -- of the cases, of which each has come about by the one of `ways`; one -- all are of one object
        """
        found = worst(outcomes)
        if found != "perhaps" or not one or self.conditional:
            return found
        by_one = [way is not None and self.conditions <= way.conditions for way in ways]
        return "bad" if any(o == "bad" and w for o, w in zip(outcomes, by_one, strict=True)) else found

    def judge(self, event: Event, outcome: Outcome, about: Iterable[Loc] = ()) -> None:
        if self.deferred is not None and isinstance(event, STALE):
            self.deferred.append((event, outcome))
            return
        if self.doubts and outcome == "bad":
            outcome = "perhaps"
        self.recorder.judge(event, outcome, self.conditional, frozenset([loc.obj for loc in about]))

    @property
    def conditional(self) -> bool:
        """Whether the first iteration of the loops around the place need not come here."""
        return bool(self.loops) and self.conditions > self.loops[0].conditions


def _place(w: Written | Lost) -> tuple[object, ...]:
    return (0, w.site, w.by) if isinstance(w, Lost) else (1, w.site)


def _by_itself(way: Way | None) -> Way | None:
    """The decision, unless it may tell that nothing is mapped: by a flag or a size, or a jump to the end."""
    return way if way is not None and isinstance(way.site, cp.Choice) and way.site.by_itself else None
