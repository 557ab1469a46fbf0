"""`ompls check --fix`: applies the quick fixes that are safe, never over a file that changed meanwhile."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from ompls.analysis.diagnostic import Diagnostic, Edit
from ompls.cli.problem import Problem


def choose(found: Iterable[Diagnostic]) -> dict[str, list[Edit]]:
    """The edits of each first safe fix, by file.  A fix that meets an earlier one waits for a next run."""
    chosen: dict[str, list[Edit]] = {}
    for diagnostic in found:
        fix = next((f for f in diagnostic.fixes if f.safe), None)
        if fix and not any(_meets(edit, chosen.get(edit.where.path, [])) for edit in fix.edits):
            for edit in fix.edits:
                chosen.setdefault(edit.where.path, []).append(edit)
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


def write(chosen: Mapping[str, list[Edit]], sources: Mapping[str, bytes]) -> int:
    """Write the changed files and return how many edits were made.  A file changed meanwhile is left alone."""
    count = 0
    for path, edits in chosen.items():
        current = Path(path).read_bytes()
        if current != sources.get(path, current):
            raise Problem(f"cannot fix {path}: it changed while it was checked; run the command again")
        _replace(Path(path), apply(current, edits))
        count += len(set(edits))
    return count


def _replace(path: Path, content: bytes) -> None:
    """Write a new file beside the old one and rename it over: a full disk does not cost the user's text."""
    target = path.resolve()
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as stream:
            stream.write(content)
        os.chmod(stream.name, target.stat().st_mode)
        os.replace(stream.name, target)
    except OSError as error:
        raise Problem(f"cannot write {path}: {error.strerror}; check the permissions of the directory") from error
