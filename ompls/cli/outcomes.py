"""What comes out of one file, in this process or in a worker."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from dataclasses import dataclass

from ompls.analysis.diagnostic import Diagnostic
from ompls.cli.engine import Engine, ForeignProblem, report
from ompls.cli.problem import Problem
from ompls.project.devices import plans

_OBJECTS = 100_000  # about those of a file with a dozen regions

Texts = Mapping[str, bytes]  # what stands for files on the disk, by absolute path


@dataclass(frozen=True)
class Outcome:
    """What came out of one file.

    source  -- its text, None when nothing is said about it
    warnings -- about the surroundings (no compiler, …)
    failure -- why it could not be checked, `WHAT: WHY; NEXT STEP`
    """

    name: str
    path: str = ""
    source: bytes | None = None
    found: tuple[Diagnostic, ...] = ()
    suppressed: tuple[Diagnostic, ...] = ()
    warnings: tuple[str, ...] = ()
    failure: str = ""


def outcome(engine: Engine, name: str, texts: Texts) -> Outcome:
    """Of one file, whatever happens to it."""
    for path, text in texts.items():
        engine.workspace.open(path, text)
    try:
        unit = engine.unit(name)
    except Problem as problem:
        silence = ". Nothing was checked, so silence does not mean that it is correct"
        more = silence if isinstance(problem, ForeignProblem) else ""
        return Outcome(name, failure=f"{problem}{more}", warnings=_taken(engine))
    engine.warnings += plans(unit.tu.settings.devices)
    said = report(unit)
    source = unit.tu.source if said.diagnostics or said.suppressed else None
    return Outcome(name, unit.tu.path, source, tuple(said.diagnostics), tuple(said.suppressed), warnings=_taken(engine))


def _taken(engine: Engine) -> tuple[str, ...]:
    taken, engine.warnings = tuple(engine.warnings), []
    return taken


def spare_looks() -> None:
    """Look for garbage among what a few files left behind, not among what was imported nor within a file."""
    gc.freeze()
    gc.set_threshold(_OBJECTS, 10, 10)
