"""Quick fixes put together: which can be made at once, and the text that they give."""

from __future__ import annotations

from collections.abc import Iterable

from ompls.analysis.diagnostic import Diagnostic, Edit


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
        source = source[: edit.where.start] + edit.text.encode() + source[edit.where.end :]
    return source
