"""Pointers that change places in a loop (`old`, `now`, `next`): the states of one turn, kept apart.

What each pointer points to, and who has written that, belong together; joined, neither is known any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ompls.analysis.dataenv.faults import Event
from ompls.analysis.dataenv.machine.copies import MOST, Copies
from ompls.analysis.dataenv.machine.events import Key, Recorder
from ompls.analysis.dataenv.machine.state import State
from ompls.analysis.dataenv.machine.values import Cell, Obj

MOST_TURNS = 4  # after which pointers have to be where they were
MOST_ORDERS = 6  # that are kept apart, of several loops
_Found = tuple[dict[Key, Event], dict[Key, Event]]


def swapped(before: State, after: State) -> tuple[Cell, ...]:
    """The pointers that hold after an iteration what others of them held before it; () when it is not only that."""
    moved = [c for c, v in after.cells.items() if isinstance(v, frozenset) and _moved(before, c, v)]
    old = {before.cells[c] for c in moved}
    moved = [c for c in moved if after.cells[c] in old]
    new = {after.cells[c] for c in moved}
    moved = [c for c in moved if before.cells[c] in new]
    one = all(len(after.cells[c]) == 1 == len(before.cells[c]) for c in moved)  # type: ignore[arg-type]
    permuted = len({after.cells[c] for c in moved}) == len(moved) == len({before.cells[c] for c in moved})
    return tuple(moved) if one and permuted and len(moved) > 1 else ()


def _moved(before: State, cell: Cell, value: object) -> bool:
    old = before.cells.get(cell)
    return isinstance(old, frozenset) and old != value


def agree(a: State, b: State, cells: Iterable[Cell]) -> bool:
    """Whether the pointers are where they were."""
    return all(a.cells.get(c) == b.cells.get(c) for c in cells)


def growing(first: State, second: State) -> dict[Obj, int]:
    """Objects of which each iteration leaves references behind: how many there are after the second."""
    found = {}
    for obj, cases in second.cases.items():
        before = first.cases.get(obj)
        if before is not cases and before and cases and len(before) == len(cases) == 1 and obj not in second.many:
            (old,), (new,) = before, cases
            if len(old.copies) == len(new.copies) == 1 and old.copies[0].lasting and not new.copies[0].extra:
                a, b = old.copies[0], new.copies[0]
                if a.refs < b.refs < MOST and (a.device, a.low, a.high) == (b.device, b.low, b.high):
                    found[obj] = b.refs
    return found


def at_least(state: State, grown: dict[Obj, int], only: bool = False) -> State:
    """Where there are so many references, there may be more; `only`: where there are fewer, the state is not."""
    for obj, least in grown.items():
        cases = state.cases.get(obj)
        if cases:
            found = [(c, _with_least(c, least)) for c in cases]
            state.cases[obj] = frozenset([new for c, new in found if not only or new is not c] or cases)
    return state


def _with_least(case: Copies, least: int) -> Copies:
    if len(case.copies) != 1 or case.copies[0].refs < least:
        return case
    return case._replace(copies=(case.copies[0]._replace(refs=least, least=True),))


def found_by(recorder: Recorder) -> _Found:
    return dict(recorder.certain), dict(recorder.tentative)


def in_all(recorder: Recorder, found: Sequence[_Found]) -> None:
    """After paths of which one was taken: what all of them found, and as possible what some did."""
    certain = {k: e for k, e in found[0][0].items() if all(k in c for c, _ in found)}
    tentative: dict[Key, Event] = {}
    for one, other in found:
        for key, event in (*other.items(), *one.items()):
            if key not in certain:
                held = [c.get(key) or t.get(key) for c, t in found]
                sure = all(e is not None and e.certainty == "certain" for e in held)
                tentative[key] = event if sure else replace(event, certainty="possible")
    recorder.certain, recorder.tentative = certain, tentative


def differences(before: _Found, recorder: Recorder) -> list[tuple[str, tuple[object, ...]]]:
    """The judgements that lead from what was found before to what the recorder holds, for its log."""
    found: list[tuple[str, tuple[object, ...]]] = []
    for key, event in (*recorder.certain.items(), *recorder.tentative.items()):
        if before[0].get(key) != event and before[1].get(key) != event:
            outcome = "bad" if event.certainty == "certain" else "perhaps"
            conditional = key not in recorder.certain
            found.append(("judge", (event, outcome, conditional, recorder.about.get(key, frozenset()))))
    for key, event in before[1].items():
        if key not in recorder.certain and key not in recorder.tentative:
            found.append(("judge", (event, "fine", True, frozenset())))
    return found
