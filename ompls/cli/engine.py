"""From file names to translation units: reads, takes the header snapshot, analyses."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ompls.cli.places import shown
from ompls.cli.problem import Problem, warn

if TYPE_CHECKING:
    from ompls.analysis.diagnostic import Diagnostic
    from ompls.analysis.model.tu import TU
    from ompls.analysis.source import HeaderSnapshot


@dataclass(frozen=True)
class Unit:
    """A file that was read and analysed; `flags` are what the project's own files say, without the command line's."""

    name: str  # as the user gave it
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
    """Every file as a translation unit, in order.  Raises Problem for a file that cannot be read or is no C."""
    from ompls.analysis import notes
    from ompls.analysis.model.builder import Analyzer
    from ompls.analysis.source import Settings
    from ompls.project.problem import EnvironmentProblem
    from ompls.project.workspace import Workspace

    settings = Settings(device=device, select=tuple(select), ignore=tuple(ignore))
    workspace = Workspace(_roots(files, flags), tuple(flags))
    told: set[str] = set()
    for name in files:
        path = str(Path(name).absolute())
        try:
            source = workspace.read(path)
        except EnvironmentProblem as error:
            raise Problem(f"cannot read {name}: {error.reason}; {error.hint}") from error
        file_flags = workspace.flags(path)
        snapshot = _as_typed(workspace.snapshot(path, source, file_flags))
        tu = Analyzer().analyze(shown(path), source, snapshot, settings)
        for what in sorted(set(workspace.problems) - told):
            warn(str(workspace.problems[what]))
            told.add(what)
        if not notes.is_c(tu):
            raise Problem(f"cannot check {name}: nothing in it can be understood as C; name a C source file")
        yield Unit(name, tu, tuple(file_flags[: len(file_flags) - len(workspace.explicit)]))


def _as_typed(snapshot: HeaderSnapshot) -> HeaderSnapshot:
    """With the project's headers named as the user would type them: a bundle does not depend on where it was made."""
    texts = {}
    for key, (path, data) in snapshot.texts.items():
        operand, apart, folder = key.partition(" in /")  # preprocess.include_key
        here = shown("/" + folder)
        texts[f"{operand} in {'' if here == '.' else here}" if apart else key] = (shown(path), data)
    return replace(snapshot, texts=texts)


def _roots(files: Sequence[str], flags: Sequence[str]) -> list[str]:
    """Where the user's own headers are: here, beside the files, and in the -I directories of the command line."""
    words = list(flags)
    named = [word[2:] or "".join(words[at + 1 : at + 2]) for at, word in enumerate(words) if word.startswith("-I")]
    own = [folder for folder in named if not os.path.abspath(folder).startswith("/usr/")]
    beside = [os.path.dirname(os.path.abspath(name)) for name in files]
    return list(dict.fromkeys(os.path.abspath(folder) for folder in [os.getcwd(), *beside, *own]))


def diagnostics(unit: Unit) -> list[Diagnostic]:
    """What the front end and the rules say about the unit, in the order of the places."""
    from ompls.analysis import notes
    from ompls.analysis.rules import report

    return report(unit.tu, notes.diagnostics(unit.tu)).diagnostics
