"""Quick fixes put together: which can be made at once, the text that they give, and whether that is any better."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from operator import itemgetter

from ompls.analysis.diagnostic import Diagnostic, Edit
from ompls.analysis.encoding import encoded

FEW = 10  # fixes of a text that are tried one by one
TRIALS = 50  # of fixes, for one text: each reads all of it again
Judge = Callable[[bytes], "Sequence[Diagnostic] | None"]  # what there is to say about a text; None: not known


def choose(found: Iterable[Diagnostic], *, unsafe: bool = False) -> dict[str, list[Edit]]:
    """The edits of each diagnostic's first fix, by file: of the safe ones, unless `unsafe`.

    A fix that meets an earlier one waits for a next time.
    """
    chosen: dict[str, list[Edit]] = {}
    for diagnostic in found:
        fix = next((f for f in diagnostic.fixes if f.safe or unsafe), None)
        if fix and not any(_meets(edit, chosen.get(edit.where.path, [])) for edit in fix.edits):
            for edit in fix.edits:
                edits = chosen.setdefault(edit.where.path, [])
                if edit not in edits:
                    edits.append(edit)
    return chosen


def _meets(edit: Edit, others: list[Edit]) -> bool:
    """Whether it touches another edit; two insertions at one place do, as their order is not known."""
    return any(
        (edit.where.start < other.where.end and other.where.start < edit.where.end)
        or edit.where.start == other.where.start
        for other in others
        if edit != other
    )


def apply(source: bytes, edits: Iterable[Edit]) -> bytes:
    """`source` with the edits made, last place first, so that earlier offsets stay true."""
    for edit in sorted(set(edits), key=lambda e: e.where.start, reverse=True):
        source = source[: edit.where.start] + encoded(edit.text) + source[edit.where.end :]
    return source


def tried(
    found: Iterable[Diagnostic], everything: Sequence[Diagnostic], source: bytes, judge: Judge
) -> list[Diagnostic]:
    """`found` without the fixes after which something is wrong that was not before, or that is to be fixed.

    Each trial judges the whole text, so many fixes of one rule are tried together, and in halves where that makes
    something worse.  Those that the last of `TRIALS` does not reach are left out.

    everything -- what there is to say about `source`, of which `found` is a part
    """
    found = list(found)
    good: set[tuple[int, int]] = set()
    batches = deque(_apart(found))
    for _ in range(TRIALS):
        if not batches:
            break
        batch = batches.popleft()
        edits = [edit for number, which in batch for edit in found[number].fixes[which].edits]
        if not worse([found[number] for number, _ in batch], edits, everything, source, judge, each=True):
            good.update(batch)
        elif len(batch) > 1:
            batches += (batch[: len(batch) // 2], batch[len(batch) // 2 :])
    kept = []
    for number, diagnostic in enumerate(found):
        fixes = tuple(fix for which, fix in enumerate(diagnostic.fixes) if (number, which) in good)
        kept.append(diagnostic if len(fixes) == len(diagnostic.fixes) else replace(diagnostic, fixes=fixes))
    return kept


def _apart(found: list[Diagnostic]) -> list[list[tuple[int, int]]]:
    """The fixes, as (number of the diagnostic, of its fix), in batches: of one rule, where no edit meets another.

    A few are alone: what a fix brings to light, the next one may hide again.
    """
    places = []
    for number, diagnostic in enumerate(found):
        for which, fix in enumerate(diagnostic.fixes):
            start = min((edit.where.start for edit in fix.edits), default=0)
            end = max((edit.where.end for edit in fix.edits), default=0)
            paths = tuple(sorted({edit.where.path for edit in fix.edits}))
            places.append((start, end, number, which, (diagnostic.rule, which, paths)))
    if len(places) <= FEW:
        return [[(number, which)] for _, _, number, which, _ in places]
    rows: dict[tuple[object, ...], list[tuple[list[tuple[int, int]], int, int]]] = {}
    for start, end, number, which, alike in sorted(places, key=itemgetter(0, 1, 2, 3)):
        row = rows.setdefault(alike, [])
        for at, (batch, last_start, last_end) in enumerate(row):
            if last_start < start and last_end <= start:
                batch.append((number, which))
                row[at] = batch, start, end
                break
        else:
            if len(row) < TRIALS:
                row.append(([(number, which)], start, end))
    return [batch for row in rows.values() for batch, _, _ in row]


def worse(
    fixed: Collection[Diagnostic],
    edits: Iterable[Edit],
    everything: Iterable[Diagnostic],
    source: bytes,
    judge: Judge,
    *,
    each: bool = False,
) -> bool:
    """Whether after `edits`, which are to fix `fixed`, an error or a warning is new, or nothing of `fixed` is gone.

    each -- or not all of `fixed` is gone
    Where a word was not understood, what it hid is no reason against correcting it.
    """
    edits = list(edits)
    if all(d.rule in _UNREAD for d in fixed) or len({edit.where.path for edit in edits}) != 1:
        return False
    after = judge(apply(source, edits))
    if after is None:
        return False
    everything = list(everything)
    before, left = _said(everything), _said(after)
    counted = _said(fixed)
    helps = (all if each else any)(left[w] <= before[w] - (n if each else 1) for w, n in counted.items())
    return not helps or bool(_serious(after) - _serious(everything))


_UNREAD = frozenset(("unknown-directive", "unknown-clause", "malformed-clause"))


def _serious(found: Iterable[Diagnostic]) -> Counter[tuple[str, str]]:
    return _said(d for d in found if d.severity != "hint")


def _said(found: Iterable[Diagnostic]) -> Counter[tuple[str, str]]:
    return Counter(map(_words, found))


def _words(d: Diagnostic) -> tuple[str, str]:
    return d.rule, d.message
