"""From file names to translation units: reads, takes the header snapshot and the project's settings, analyses."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ompls.analysis.patterns import later
from ompls.cli.options import settings_layer
from ompls.cli.places import shown
from ompls.cli.problem import Problem, warn
from ompls.project.gcc_options import values
from ompls.runtime.machine import HERE

if TYPE_CHECKING:
    from ompls.analysis.diagnostic import Diagnostic
    from ompls.analysis.model.builder import Analyzer
    from ompls.analysis.model.tu import TU
    from ompls.analysis.rules import Report
    from ompls.analysis.source import HeaderSnapshot, Location
    from ompls.project.projectfile import ProjectFile
    from ompls.project.settings import Settings
    from ompls.runtime.machine import Machine


# The rest of a line and the next ones, as far as nothing stands there but comments and directives.
_NO_TEXT = later(rb"[ \t\r]*(?://[^\n]*)?\n(?:[ \t]*(?:#(?:[^\n\\]|\\\r?\n|\\.)*|//[^\n]*)?\r?\n)*")
_TOGETHER = 16  # files that share: of more, memory would hold what no other file has


class ForeignProblem(Problem):
    """The file is in a language that we do not understand."""


class NoCProblem(Problem):
    """Nothing in the file can be understood as C, nor is there a directive in it."""


@dataclass(frozen=True)
class Unit:
    """A file that was read and analysed; `flags` are what the project's own files say, without the command line's."""

    name: str  # as the user gave it
    tu: TU
    flags: tuple[str, ...]
    settings: Settings
    again: Callable[[bytes], TU]  # analyses another version of the text
    compiler_errors: Callable[[], Mapping[int, str] | None]  # what gcc says about lines; None: it cannot be asked
    machine: Machine  # that it is for
    looked_for: frozenset[str]  # paths that decided what it is, also of what is not there

    @property
    def version_flags(self) -> tuple[str, ...]:
        """What gcc has to be told to see the `_OPENMP` that was analysed; it stands before all other flags."""
        from ompls.project.flags import version_flags

        return version_flags(self.settings.openmp_version)


@dataclass(frozen=True)
class Options:
    """What an engine is made for.

    files   -- the names on the command line: their directories are the user's own
    flags   -- the compiler's options on the command line
    layer   -- the settings on the command line (see project/layers.py)
    aliases -- names that are no files (`-`) with the paths that they stand for
    database -- the directory with the compile database; '': it is looked for
    exclude -- patterns of what is left out of directories, meant from the working directory
    machine -- whose headers and types are meant
    """

    files: tuple[str, ...]
    flags: tuple[str, ...] = ()
    layer: Mapping[str, Any] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    database: str | None = None
    machine: Machine = HERE


class Engine:
    """Analyses files one after the other.

    `warnings` collects what is wrong with the surroundings, each once; who shows them takes them out.

    one_by_one -- no unit is used any more when the next is asked for.  So they may share what is equal in them, such as
                  the functions of a header, which is analysed once then: to the analysis they are versions of one text.
    """

    def __init__(self, options: Options, *, one_by_one: bool = False) -> None:
        from ompls.project.projectfile import ProjectFiles
        from ompls.project.workspace import Workspace

        self.options = options
        paths = [self.path(name) for name in options.files]
        roots = _roots(paths, options.flags)
        self.workspace = Workspace(roots, options.flags, database=options.database, machine=options.machine)
        self.warnings: list[str] = []
        self._projects = ProjectFiles()
        self._told: set[str] = set()
        self._together = _TOGETHER if one_by_one else 1
        self._analyzer: Analyzer | None = None
        self._analysed = 0

    def path(self, name: str) -> str:
        return os.path.abspath(self.options.aliases.get(name, name))

    def project(self, name: str) -> ProjectFile | None:
        """The project file for a file or for what is in a directory."""
        path = self.path(name)
        return self._projects.of(os.path.join(path, "*") if os.path.isdir(path) else path)

    def settings(self, name: str) -> Settings:
        """The command line's over the project file's.  Raises Problem when the latter cannot be used."""
        from ompls.project.layers import settings_of

        project = self.project(name)
        if project is not None and project.problems:
            raise Problem(f"cannot use {project.problems[0]}")
        return settings_of(project.layer if project is not None else {}, self.options.layer)

    def language(self, name: str) -> str:
        """The language of a file that is not C; "" of one that is."""
        from ompls.project.language import foreign

        path = self.path(name)
        return foreign(path, self.workspace.flags(path))

    def unit(self, name: str) -> Unit:
        """Raises Problem for a file that cannot be read or is no C."""
        from ompls.analysis import notes
        from ompls.project.problem import EnvironmentProblem

        path, workspace = self.path(name), self.workspace
        if name == "-" and name not in self.options.aliases:
            raise Problem("cannot read -: standard input is not read here; name a C source file")
        if language := self.language(name):
            raise ForeignProblem(f"cannot read {name}: it is {language}; ompls understands C")
        settings = self.settings(name)
        try:
            source = workspace.read(path)
        except EnvironmentProblem as error:
            raise Problem(f"cannot read {name}: {error.reason}; {error.hint}") from error
        flags = workspace.flags(path)
        snapshot = _as_typed(workspace.snapshot(path, source, flags, settings.openmp_version))
        analyzer, chosen = self._analyzer_of_next(), settings.for_analysis()

        def analyse(text: bytes) -> TU:
            return analyzer.analyze(shown(path), text, snapshot, chosen)

        tu = analyse(source)
        for what in sorted(set(workspace.problems) - self._told):
            self.warnings.append(str(workspace.problems[what]))
            self._told.add(what)
        if not notes.is_c(tu):
            raise NoCProblem(f"cannot read {name}: nothing in it can be understood as C; name a C source file")
        own = flags[: len(flags) - len(workspace.explicit)]
        own = tuple(flag for flag in own if flag not in workspace.refused.get(path, ()))
        ask = partial(workspace.compiler_errors, path, notes.without_variants(tu), flags, settings.openmp_version)
        return Unit(name, tu, own, settings, analyse, ask, self.options.machine, workspace.looked_for())

    def _analyzer_of_next(self) -> Analyzer:
        from ompls.analysis.model.builder import Analyzer

        if self._analyzer is None or not self._analysed % self._together:
            self._analyzer = Analyzer()
        self._analysed += 1
        return self._analyzer


def analyze(
    files: Sequence[str],
    flags: Sequence[str],
    openmp: str | None = None,
    database: str | None = None,
    machine: Machine = HERE,
) -> Iterator[Unit]:
    """Every file as a translation unit that a compiler may have, in order.  Raises Problem for one that cannot be read,
    is no C, or includes what may have no end.

    openmp -- the version of the specification that the command line asks for
    database, machine -- as in Options
    """
    layer = settings_layer({"openmp_version": openmp})
    engine = Engine(Options(tuple(files), tuple(flags), layer, database=database, machine=machine))
    for name in files:
        unit = engine.unit(name)
        while engine.warnings:
            warn(engine.warnings.pop(0))
        _refuse_endless(unit)
        yield unit


def _refuse_endless(unit: Unit) -> None:
    from ompls.project.files import NOT_REGULAR

    for note in unit.tu.notes:
        operand, _, reason = note.message.rpartition(": ")
        if note.kind == "include" and reason == NOT_REGULAR:
            why = f"it includes {operand}, which {NOT_REGULAR}: a compiler may read it without end"
            raise Problem(f"cannot compile {unit.name}: {why}; include a header")


def report(unit: Unit) -> Report:
    """What the front end and the rules say about the unit, in the order of the places, and what comments silence.

    With a device that somebody chose, what the translator refuses is said, too.  Fixes that would make something else
    wrong are left out.
    """
    from ompls.analysis import fixing
    from ompls.cli import refusals

    def judge(text: bytes) -> list[Diagnostic]:
        return _report(unit, unit.again(text)).diagnostics

    found = refusals.once(_report(unit, unit.tu, refusals.refused(unit.tu)))
    path, every = unit.tu.path, found.diagnostics
    mended = iter(fixing.tried((d for d in every if d.where.path == path), every, unit.tu.source, judge))
    own = [next(mended) if d.where.path == path else d for d in every]
    return replace(found, diagnostics=_in_the_compilers_words(unit, own))


def _in_the_compilers_words(unit: Unit, found: list[Diagnostic]) -> list[Diagnostic]:
    """Syntax errors as gcc tells them, errors where it finds one in that line; hints where it takes the text.

    It is asked only when there is one that is sure of itself: what we do not understand may be C all the same.
    """
    from ompls.analysis.rules import members

    path, source = unit.tu.path, unit.tu.source
    weighed = any("syntax-error" in members(name) for name, _ in unit.settings.for_analysis().severity)

    def ours(d: Diagnostic) -> bool:
        return d.rule == "syntax-error" and d.severity != "hint" and d.where.path == path

    def confirmed(d: Diagnostic) -> Diagnostic:
        words = next(filter(None, map(said.get, _lines_of(d.where, source))), None) if said and ours(d) else None
        if words is None:
            return d
        return replace(d, message=words, severity=d.severity if weighed else "error")

    said = unit.compiler_errors() if any(map(ours, found)) else None
    if said is not None and not said:
        return [replace(d, severity="hint") if ours(d) else d for d in found]
    return list(map(confirmed, found))


def _lines_of(where: Location, source: bytes) -> list[int]:
    """The lines (from 1) in which a compiler may find what is wrong at a place: what is missing at the end of a line it
    misses at the next text that is no directive."""
    lines = [source.count(b"\n", 0, where.start) + 1]
    if skipped := _NO_TEXT.match(source, where.end):
        lines.append(source.count(b"\n", 0, skipped.end()) + 1)
    return lines


def _report(unit: Unit, tu: TU, refused: Sequence[Diagnostic] = ()) -> Report:
    from ompls.analysis import notes, rules

    found = rules.report(tu, [*notes.diagnostics(tu), *refused])
    kept, suppressed = (unit.settings.kept(its, os.path.abspath) for its in (found.diagnostics, found.suppressed))
    return replace(found, diagnostics=kept, suppressed=suppressed)


def diagnostics(unit: Unit) -> list[Diagnostic]:
    """What is to be said about the unit."""
    return report(unit).diagnostics


def _as_typed(snapshot: HeaderSnapshot) -> HeaderSnapshot:
    """With the project's headers named as the user would type them: a bundle does not depend on where it was made."""
    texts = {}
    for key, (path, data) in snapshot.texts.items():
        operand, apart, folder = key.partition(" in /")  # preprocess.include_key
        here = shown("/" + folder)
        texts[f"{operand} in {'' if here == '.' else here}" if apart else key] = (shown(path), data)
    return replace(snapshot, texts=texts)


def _roots(paths: Sequence[str], flags: Sequence[str]) -> list[str]:
    """Where the user's own headers are: here, beside or below `paths`, and in the -I directories of the flags."""
    own = [folder for folder in values(flags, "-I") if not os.path.abspath(folder).startswith("/usr/")]
    beside = [path if os.path.isdir(path) else os.path.dirname(path) for path in paths]
    return list(dict.fromkeys(os.path.abspath(folder) for folder in [os.getcwd(), *beside, *own]))
