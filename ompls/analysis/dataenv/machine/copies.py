"""What is known of one object: its host copy, its copies on devices with their reference counts, who wrote last.

A `Copies` is one possible case; the machine keeps a set of them for each object.  The functions are the rules of OpenMP
5.2 §5.8.3 (map), §13.8 (target update), and what reads and writes do.  They are pure.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from ompls.analysis.dataenv.machine.values import Positive, Range, Site, apart, covers, exceeds, inside, order
from ompls.analysis.dataenv.machine.written import MOST_KEPT, Lost, Sent, Written, less, merged, sent_to, without
from ompls.analysis.dataenv.relations import Fact, contradict, negated
from ompls.analysis.dataenv.symbolic import Poly
from ompls.analysis.model.ast import Span

MOST = 8  # references that are counted
# Whether it holds values: none at all, none unless it was there before, perhaps, yes.
Filled = Literal["no", "unsure", "some", "yes"]
Outcome = Literal["new", "present", "perhaps", "extends", "absent", "kept", "removed", "unknown"]
IN, OUT = ("to", "tofrom"), ("from", "tofrom")  # map types that copy to the device, and back


UNWRITTEN = "unwritten"  # how values of the host's are lost under what a device never had
UNTOUCHED = "untouched"  # the same where the device had no values at all


def map_type(copies_in: bool, copies_out: bool) -> str:
    return "tofrom" if copies_in and copies_out else "to" if copies_in else "from" if copies_out else "alloc"


class Copy(NamedTuple):
    """The corresponding storage on one device.

    refs -- references that the machine has seen (at most MOST, which stands for that many or more)
    extra -- there may be more that it has not seen: of a caller, of another translation unit
    old -- the host has written since the device got its values; ahead -- the device has, and the host has not got them
    origin, how -- the list item that made it and its map type; lasting -- by `target enter data`;
    forever -- by `declare target`; lent -- other code has got its address; first -- what gave it its first values;
    wrote -- a region has written to it
    least -- there may be more references, of a loop that leaves some in each iteration
    sent -- what of a variable that all devices have went to some of them only
    part -- all that has been given values, of a copy that had none: the rest holds garbage; None: not known
    """

    device: Poly
    low: Poly | None
    high: Poly | None
    refs: int
    extra: bool
    filled: Filled
    origin: Site
    how: str
    lasting: bool = False
    forever: bool = False
    lent: bool = False
    first: Site | None = None
    wrote: bool = False
    least: bool = False
    part: Range | None = None
    old: tuple[Written, ...] = ()
    ahead: tuple[Written, ...] = ()
    sent: tuple[Sent, ...] = ()


class Choice(NamedTuple):
    """A decision by its condition, which comes out the same wherever it is asked; it `says` so on its side 0."""

    says: Fact

    def excludes(self, side: int, other: Choice, its: int) -> bool:
        """Whether the two do not come out like this together."""
        one, two = (c.says if s == 0 else negated(c.says) for c, s in ((self, side), (other, its)))
        return contradict(one, two)

    @property
    def by_itself(self) -> bool:
        """Whether it tells little of what was done before: `n > 500`, but not `n > 0`, nor a flag."""
        return self.says[1] == "<" and abs(self.says[0].offset) > 2


class Way(NamedTuple):
    """The one decision that leads to a case: `site` is where or what, the side that was taken `side`.

    It is met again under at most `conditions`.
    """

    site: Site | Choice
    side: int
    conditions: int


SEVERAL = Way(Site("", Span(0, 0)), 0, -1)  # decisions, which may exclude each other


class Copies(NamedTuple):
    """One case.

    host -- whether the host's storage holds values; lost -- results that did not get there
    freed -- where the host's storage, or the device memory that the program manages, was given back
    way -- the decision by which it is so; None: none or not known
    """

    host: Filled = "yes"
    copies: tuple[Copy, ...] = ()
    lost: tuple[Lost, ...] = ()
    freed: Site | None = None
    way: Way | None = None


class Mapping(NamedTuple):
    """What a list item of a map clause asks for: `kind` is a map type, the range is in bytes."""

    device: Poly
    low: Poly | None
    high: Poly | None
    kind: str
    site: Site
    always: bool = False
    lasting: bool = False
    implicit: bool = False  # by no clause: what is present of it is enough

    @property
    def copies_in(self) -> bool:
        return self.kind in IN

    @property
    def copies_out(self) -> bool:
        return self.kind in OUT

    @property
    def range(self) -> Range:
        return Range(self.low, self.high, True, True)


CLEAN = Copies()


def outside_copy(device: Poly, site: Site) -> Copy:
    """That of an object which a caller may have mapped."""
    return Copy(device, None, None, 0, True, "some", site, "")


def find(
    state: Copies, device: Poly, low: Poly | None, high: Poly | None, positive: Positive
) -> tuple[Copy | None, str]:
    """The copy on `device` that holds bytes of the range, and how: 'in', 'over' (only a part of it), '?' or ''.

    (None, '?') when a copy on another device, whose number is not known, may be it.
    """
    doubtful: tuple[Copy | None, str] = (None, "")
    for copy in state.copies:
        if copy.device != device and not copy.forever:
            if _may_be_on(copy, device):
                doubtful = (None, "?")
            continue
        if copy.low is None or inside(low, high, copy.low, copy.high, positive):
            return copy, "in" if copy.low is not None else "?"
        if low is not None and low == high and order(copy.low, low, positive) in ("<", "<=", "=="):
            return copy, "?"
        if apart(Range(low, high), Range(copy.low, copy.high), positive):
            continue
        if low is None or high is None or not _strictly_over(low, high, copy, positive):
            return copy, "?"
        return copy, "over"
    return doubtful


def _strictly_over(low: Poly, high: Poly, copy: Copy, positive: Positive) -> bool:
    """Whether some of the range lies in the copy and some certainly does not."""
    starts_in = order(low, copy.high, positive) == "<" and order(copy.low, low, positive) in ("<", "<=", "==")
    ends_in = order(copy.low, high, positive) == "<" and order(high, copy.high, positive) in ("<", "<=", "==")
    after = order(copy.high, high, positive) == "<"
    before = order(low, copy.low, positive) == "<"
    return (starts_in and after) or (ends_in and before) or (after and before)


def lacks(copy: Copy, r: Range, positive: Positive) -> bool:
    """Whether an end of `r` certainly lies outside of the copy."""
    return lacks_of(Range(copy.low, copy.high), r, positive)


def lacks_of(held: Range, r: Range, positive: Positive) -> bool:
    """Whether an end of `r` certainly lies outside of `held`."""
    return exceeds(held.low, r.low, positive) or exceeds(r.high, held.high, positive)


def has_gap(held: Range, r: Range, positive: Positive) -> bool:
    """Whether `r` certainly has what lies behind the first tooth of `held`."""
    if held.comb is None or held.low is None or not r.dense:
        return False
    gap = held.low + held.comb[1]
    return order(r.low, gap, positive) in ("<", "<=", "==") and exceeds(r.high, gap, positive)


def _with(state: Copies, old: Copy, new: Copy | None) -> Copies:
    copies = [new if c is old else c for c in state.copies]
    return state._replace(copies=tuple([c for c in copies if c is not None]))


def enter(state: Copies, m: Mapping, positive: Positive) -> tuple[Copies, Outcome]:
    """`map` at the start of a construct or at `target enter data`."""
    copy, how = find(state, m.device, m.low, m.high, positive)
    if copy is None and m.low is not None and m.low == m.high:
        return state, "absent"  # a section of length zero makes nothing
    if copy is None or (copy.refs == 0 and copy.extra):
        if how == "?" and copy is None:
            return state, "unknown"
        perhaps = copy is not None  # somebody may have mapped it before
        filled: Filled = "unsure" if perhaps else "no"
        if m.copies_in and state.host != "no":
            filled = "yes"
        made = Copy(m.device, m.low, m.high, 1, perhaps, filled, m.site, m.kind, m.lasting)
        return state._replace(copies=(made, *state.copies)), "perhaps" if perhaps else "new"
    if how == "?" and copy.low is not None:
        return state, "unknown"
    several = copy.least and copy.low is None  # sections that a loop has left behind
    new = copy if several else copy._replace(refs=min(copy.refs + 1, MOST))
    outcome: Outcome = "present"
    if how == "over" and not m.implicit:
        new, outcome = new._replace(low=None, high=None, filled="some", part=None, old=(), ahead=()), "extends"
    elif m.always and m.copies_in:
        new = received(new, m.range, positive)
    return _with(state, copy, new), outcome


def leave(state: Copies, m: Mapping, positive: Positive) -> tuple[Copies, Outcome]:
    """The end of a construct with the map, or `target exit data`."""
    copy, how = find(state, m.device, m.low, m.high, positive)
    if copy is None and how == "?":
        return _perhaps_left(state, m, positive), "unknown"
    if copy is None:
        return state, "absent"
    if copy.refs == 0:  # only a caller can have mapped it
        if m.copies_out:
            state = _host_gets(state, m.range, positive)
        return (_with(state, copy, None) if m.kind == "delete" else state), "perhaps"
    gone = m.kind == "delete" and not copy.forever
    if copy.refs == MOST and not gone:
        return state, "unknown"
    if copy.least and copy.low is None and not m.lasting:
        return state, "kept"  # as `enter` did not count it
    if copy.least and copy.refs == 1 and (copy.low is None or not gone):
        if m.copies_out:
            state = _host_gets(state, m.range, positive)
        return _with(state, copy, outside_copy(copy.device, copy.origin)), "unknown"
    refs = 0 if gone else copy.refs if copy.forever else copy.refs - 1
    new = copy._replace(refs=refs)
    copied = m.copies_out and (refs == 0 or m.always)
    if copied:
        new = new._replace(ahead=less(new.ahead, m.range, positive), old=less(new.old, m.range, positive))
    state = _with(state, copy, new if refs else None)
    if copied:
        had = state.host != "no"
        state = _host_gets(state, m.range, positive)
        spoiled = _unwritten(copy, m, had, positive) if state.host != "no" else ()
        state = state._replace(lost=(*spoiled, *state.lost)[:MOST_KEPT])
    if refs:
        return state, "kept"
    if new.ahead:
        state = state._replace(lost=tuple([Lost(w.range, w.site, m.site, m.kind) for w in new.ahead]))
    return state, "removed"


def _perhaps_left(state: Copies, m: Mapping, positive: Positive) -> Copies:
    """Nobody knows which device it leaves: any copy whose device may be that one may be gone."""
    if m.copies_out:
        state = _host_gets(state, m.range, positive)
    for copy in state.copies:
        if _may_be_on(copy, m.device) and not apart(m.range, Range(copy.low, copy.high), positive):
            state = _with(state, copy, outside_copy(copy.device, copy.origin))
    return state


def _may_be_on(copy: Copy, device: Poly) -> bool:
    return not copy.forever and copy.device != device and (copy.device.constant is None or device.constant is None)


def _unwritten(copy: Copy, m: Mapping, had: bool, positive: Positive) -> tuple[Lost, ...]:
    """What the host gets of a copy that has no values there: before and behind all that was written, and in between.

    had -- whether the host had values before; of one that nothing has written, the host asks for nothing else
    """
    if had and copy.filled == "no" and not (copy.wrote or copy.extra or copy.lent or copy.forever):
        return (Lost(m.range, m.site, m.site, UNTOUCHED),)
    if copy.part is None or not copy.wrote:
        return ()
    ends = []
    if order(m.low, copy.part.low, positive) == "<":
        ends.append(Range(m.low, copy.part.low, True, True))
    if order(copy.part.high, m.high, positive) == "<":
        ends.append(Range(copy.part.high, m.high, True, True))
    if copy.part.comb is not None and copy.part.low is not None and copy.part.high is not None:
        stride, width = copy.part.comb
        low, high = copy.part.low + width, copy.part.high - width
        ends.append(copy.part._replace(low=low, high=high, comb=(stride, stride - width)))
    return tuple([Lost(r, m.site, m.site, UNWRITTEN) for r in ends])


def received(copy: Copy, r: Range, positive: Positive) -> Copy:
    """The device gets the host's values."""
    filled: Filled = "yes" if covers(r, Range(copy.low, copy.high), positive) or copy.filled == "yes" else "some"
    part = None
    if filled == "some" and copy.filled == "no" and r.dense and r.low is not None and r.high is not None:
        part = r
    elif copy.part is not None and covers(copy.part, r, positive):
        part = copy.part
    return copy._replace(filled=filled, part=part, old=less(copy.old, r, positive), ahead=less(copy.ahead, r, positive))


def updated_to(state: Copies, copy: Copy, r: Range, m: Mapping, positive: Positive) -> Copies:
    """`target update to` of the range in a list item: what the device alone had is overwritten."""
    new = received(copy, r, positive)
    if copy.forever:
        new = new._replace(sent=sent_to(copy.sent, copy.old, r, m.device, positive))
    state = _with(state, copy, new)
    lost = []
    for w in copy.ahead:
        whole, part = covers(r, w.range, positive), covers(w.range, r, positive)
        if w.range.sure and (whole or part):
            lost.append(Lost(w.range if whole else r, w.site, m.site, "update"))
    return state._replace(lost=(*lost, *state.lost)[:MOST_KEPT])


def sent_back(state: Copies, copy: Copy, r: Range, positive: Positive) -> Copies:
    """The host gets the device's values.

    Where no region has written any, they are what the host had before: what it has written since is still missing.
    """
    first = not copy.wrote and copy.refs > 0 and not (copy.extra or copy.lent)
    old = copy.old if first else less(copy.old, r, positive)
    state = _with(state, copy, copy._replace(ahead=less(copy.ahead, r, positive), old=old))
    return _host_gets(state, r, positive)


def perhaps_filled(state: Copies) -> Copies:
    """The devices' copies that had no values, or only in a part, may have got some."""
    filled = [c._replace(filled="some" if c.filled == "no" else c.filled, part=None) for c in state.copies]
    return state._replace(copies=tuple(filled))


def open_to(copy: Copy) -> bool:
    """Whether code that is not known may have written to the device's storage."""
    return copy.lent or copy.filled != "yes"


def unknown(copy: Copy) -> bool:
    """Whether it may have been written to, on either side, without being in `old` and `ahead`."""
    return copy.filled == "some" or not (copy.refs or copy.forever)


def _host_gets(state: Copies, r: Range, positive: Positive) -> Copies:
    kept = [w._replace(range=rest) for w in state.lost for rest in without(w.range, r, positive)]
    return state._replace(host="yes" if state.host == "yes" else "some", lost=tuple(kept)[:MOST_KEPT])


def host_writes(state: Copies, r: Range, site: Site, positive: Positive) -> Copies:
    """The host writes to its copy."""
    copies = tuple(
        [
            c
            if c.refs == 0 and not c.forever
            else c._replace(
                old=merged(c.old, Written(r, site), positive),
                ahead=less(c.ahead, r, positive),
                sent=tuple([s for s in c.sent if not covers(r, s.range, positive)]),
            )
            for c in state.copies
        ]
    )
    state = _host_gets(state, r, positive)
    return state._replace(copies=copies, host="yes")


def device_writes(state: Copies, copy: Copy, r: Range, site: Site, positive: Positive) -> Copies:
    """A region writes to the device's copy."""
    first = site if copy.filled == "no" else copy.first
    known = (r.sure or (r.some and r.comb is not None)) and r.low is not None and r.high is not None
    only = (copy.filled == "no" and known) or (copy.part is not None and covers(copy.part, r, positive))
    new = copy._replace(
        first=first,
        filled="yes",
        wrote=True,
        part=(r if copy.filled == "no" else copy.part) if only or copy.part == r else None,
        ahead=merged(copy.ahead, Written(r, site), positive),
        old=less(copy.old, r, positive),
    )
    return _with(state, copy, new)
