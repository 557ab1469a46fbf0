"""Quick fixes put together: which can be made at once, the text that they give, and whether that is any better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from ompls.analysis.diagnostic import Diagnostic, Edit
from ompls.analysis.encoding import encoded

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

    everything -- what there is to say about `source`, of which `found` is a part
    """
    kept = []
    for diagnostic in found:
        good = [fix for fix in diagnostic.fixes if not worse((diagnostic,), fix.edits, everything, source, judge)]
        kept.append(diagnostic if len(good) == len(diagnostic.fixes) else replace(diagnostic, fixes=tuple(good)))
    return kept


def worse(
    fixed: Collection[Diagnostic], edits: Iterable[Edit], everything: Iterable[Diagnostic], source: bytes, judge: Judge
) -> bool:
    """Whether after `edits`, which are to fix `fixed`, an error or a warning is new, or nothing of `fixed` is gone.

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
    helps = any(left[_words(d)] < before[_words(d)] for d in fixed)
    return not helps or bool(_serious(after) - _serious(everything))


_UNREAD = frozenset(("unknown-directive", "unknown-clause", "malformed-clause"))


def _serious(found: Iterable[Diagnostic]) -> Counter[tuple[str, str]]:
    return _said(d for d in found if d.severity != "hint")


def _said(found: Iterable[Diagnostic]) -> Counter[tuple[str, str]]:
    return Counter(map(_words, found))


def _words(d: Diagnostic) -> tuple[str, str]:
    return d.rule, d.message
