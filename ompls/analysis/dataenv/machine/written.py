"""What was written on one side only, the host's or a device's: bytes of one object, and where that was."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from ompls.analysis.dataenv.machine.values import ANYWHERE, Positive, Range, Site, apart, covers, meet, order, together
from ompls.analysis.dataenv.symbolic import ZERO, Poly

MOST_KEPT = 4  # ranges that are told apart
Verdict = Literal["yes", "perhaps", "no"]


class Written(NamedTuple):
    """Bytes that were written on one side only, and where."""

    range: Range
    site: Site


class Lost(NamedTuple):
    """Bytes that the device had written when its copy went away (or was private), the map item that let them go."""

    range: Range
    site: Site
    by: Site
    how: str


class Sent(NamedTuple):
    """Bytes that the host has written, of a variable that all devices have, and the only devices that have got them."""

    range: Range
    site: Site
    devices: frozenset[Poly]


def sent_to(
    known: Iterable[Sent], old: Iterable[Written], r: Range, device: Poly, positive: Positive
) -> tuple[Sent, ...]:
    """What only some devices have got, after `r` went to one of them; `old`: what none had before."""
    found = [s._replace(devices=s.devices | {device}) if covers(r, s.range, positive) else s for s in known]
    found += [Sent(w.range, w.site, frozenset((device,))) for w in old if covers(r, w.range, positive)]
    return tuple(found[-MOST_KEPT:])


def missed(sent: Iterable[Sent], r: Range, size: Poly | None, device: Poly, positive: Positive) -> Sent | None:
    """What a read of `r` on a device certainly does not find, as it went to other devices only."""
    for s in sent:
        elsewhere = all((to - device).constant not in (None, 0) for to in s.devices)
        if elsewhere and _touches(Written(s.range, s.site), r, size, positive) == "yes":
            return s
    return None


def merged(known: tuple[Written, ...], new: Written, positive: Positive) -> tuple[Written, ...]:
    """What is known after more was written: larger ranges take the place of what they hold; there are not too many."""
    found: list[Written] = []
    placed = False
    for w in known:
        both = together(w.range, new.range)
        if not placed and both is not None:
            new = w._replace(range=both)
        elif not placed and covers(w.range, new.range, positive) and not covers(new.range, w.range, positive):
            return known
        if both is not None or covers(new.range, w.range, positive):
            if not placed:
                found.append(new)
            placed = True
        elif w.range.sure or new.range.sure or w.range != new.range:
            found.append(w)
    if not placed:
        found.append(new)
    if len(found) > MOST_KEPT:
        found = [*[w for w in found if w.range.sure][: MOST_KEPT - 1], found[-1]._replace(range=ANYWHERE)]
    return tuple(found)


def less(written: tuple[Written, ...], r: Range, positive: Positive) -> tuple[Written, ...]:
    left = [w._replace(range=rest) for w in written for rest in without(w.range, r, positive)]
    if len(left) > MOST_KEPT:
        return (*left[: MOST_KEPT - 1], left[-1]._replace(range=ANYWHERE))
    return tuple(left)


def without(r: Range, cut: Range, positive: Positive) -> tuple[Range, ...]:
    """What is left of `r` without `cut`: before it, behind it; (): nothing, or nothing that is sure."""
    if covers(cut, r, positive):
        return ()
    if apart(cut, r, positive):
        return (r,)
    if cut.dense and r.low is not None and r.high is not None:
        starts, ends = order(r.low, cut.low, positive), order(cut.high, r.high, positive)
        known = ("<", ">", ">=", "==")  # either there are bytes on that side, or there are none
        if starts in known and ends in known:
            before = Range(r.low, cut.low, r.sure and r.dense, r.dense)
            behind = Range(cut.high, r.high, r.sure and r.dense, r.dense)
            return (*((before,) if starts == "<" else ()), *((behind,) if ends == "<" else ()))
    return (ANYWHERE,) if cut.low is not None or r.low is not None else ()


def touched(
    written: Iterable[Written | Lost], r: Range, size: Poly | None, positive: Positive
) -> tuple[Verdict, Written | Lost | None]:
    """Whether `r` reads what was written in an object of `size` bytes, and which of it."""
    found: tuple[Verdict, Written | Lost | None] = ("no", None)
    for w in written:
        verdict = _touches(w, r, size, positive)
        if verdict == "yes":
            return verdict, w
        if verdict == "perhaps" and found[0] == "no":
            found = verdict, w
    return found


def _touches(w: Written | Lost, r: Range, size: Poly | None, positive: Positive) -> Verdict:
    """Wherever it is, if the other is all of the object."""
    if apart(w.range, r, positive):
        return "no"
    whole = Range(ZERO, size)
    written, read = w.range.sure or w.range.some, r.sure or r.some
    if (w.range.sure and covers(w.range, whole, positive)) or (written and covers(r, whole, positive)):
        return "yes"
    if r.sure and written and _spans(r, w.range, positive):
        return "yes"
    if w.range.sure and read and _spans(w.range, r, positive):
        return "yes"
    return "yes" if meet(w.range, r, positive) else "perhaps"


def _spans(a: Range, b: Range, positive: Positive) -> bool:
    """Whether `a` is dense and holds all bytes that `b` may touch, which are known."""
    return b.low is not None and covers(a, b, positive)
