"""From file names to translation units: reads, takes the header snapshot, analyses."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ompls.cli.problem import Problem, warn

if TYPE_CHECKING:
    from ompls.analysis.diagnostic import Diagnostic
    from ompls.analysis.model.tu import TU


@dataclass(frozen=True)
class Unit:
    """A file that was read and analysed."""

    path: str
    tu: TU
    flags: tuple[str, ...]


def analyze(
    files: Sequence[str],
    flags: Sequence[str],
    device: str,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> Iterator[Unit]:
    """Every file as a translation unit, in order.  Raises Problem for a file that cannot be read."""
    from ompls.analysis.model.builder import Analyzer
    from ompls.analysis.source import Settings
    from ompls.project import workspace as project

    settings = Settings(device=device, select=tuple(select), ignore=tuple(ignore))
    workspace = project.Workspace([os.getcwd()], flags=tuple(flags))
    for name in files:
        path = str(Path(name).absolute())
        source = workspace.read(path)
        file_flags = workspace.flags(path)
        snapshot = workspace.snapshot(path, source, file_flags)
        yield Unit(name, Analyzer().analyze(path, source, snapshot, settings), tuple(file_flags))


def diagnostics(unit: Unit) -> list[Diagnostic]:
    """What the rules say about the unit, in the order of its places."""
    from ompls.analysis.rules import check

    return sorted(check(unit.tu), key=lambda found: (found.where.path, found.where.start, found.rule))


__all__ = ["Problem", "Unit", "analyze", "diagnostics", "warn"]
