"""The settings: one tree of dataclasses for the command line, every editor and the project file.

Each setting has a name in editors, `ompls.diagnostics.maxFileSize`, and those that a project may decide have a shorter
one in its file (`select`, `per-path-ignores`; see `projectfile.py`).  What is given where, and what counts of it, is
`layers.py`'s.
"""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.source import OpenMPVersion
from ompls.analysis.source import Settings as AnalysisSettings
from ompls.project.devices import DEFAULT, of_settings
from ompls.project.globs import matches

Level = Literal["error", "warning", "hint", "off"]
Severities = tuple[tuple[str, Level], ...]  # of rules and groups, the groups first
PathIgnores = tuple[tuple[str, tuple[str, ...]], ...]  # (glob, names of rules and groups)


def _setting(
    default: Any, doc: str, project: str = "", *, names: bool = False, device: bool = False, editor: bool = True
) -> Any:
    """project -- its name in a project file; names -- holds names of rules; device -- is that of a device class;
    editor -- an editor may set it."""
    said = {"doc": doc, "project": project, "names": names, "device": device, "editor": editor}
    return field(default=default, metadata=said)


@dataclass(frozen=True, slots=True)
class DiagnosticSettings:
    enable: bool = _setting(True, "Report problems at all.")
    select: tuple[str, ...] = _setting((), "Report these rules or groups only (all when empty).", "select", names=True)
    ignore: tuple[str, ...] = _setting((), "Never report these rules or groups.", "ignore", names=True)
    severity: Severities = _setting(  # noqa: RUF009
        (), "The severity of rules or groups: `error`, `warning`, `hint` or `off`.", "severity", names=True
    )
    per_path_ignores: PathIgnores = _setting(  # noqa: RUF009
        (), "Rules or groups that are not reported in files that match.", "per-path-ignores", names=True, editor=False
    )
    exclude: tuple[str, ...] = _setting(
        (), "Files and directories that are left out when a directory is checked.", "exclude", editor=False
    )
    max_file_size: int = _setting(4_000_000, "Files above this many bytes are not analysed.")
    workspace_files: int = _setting(
        2_000, "Check the C files that are not open, too, in workspaces with at most this many (0: never)."
    )


@dataclass(frozen=True, slots=True)
class PreviewSettings:
    device: str = _setting(
        DEFAULT,
        "The devices whose code *Preview* shows, and that the rules about devices speak of: `cuda`, `cudasim,host`, …",
        "device",
        device=True,
    )


@dataclass(frozen=True, slots=True)
class RunSettings:
    device: str = _setting("auto", "The device that *Run* uses: `auto`, `cudasim`, `cuda:2`, …")
    arguments: tuple[str, ...] = _setting((), "Arguments of the program that *Run* starts.")
    timeout: float = _setting(0.0, "Seconds after which *Run* stops the program (0: never).")


@dataclass(frozen=True, slots=True)
class LensSettings:
    preview: bool = _setting(True, "Show *Preview* above each target region.")
    run: bool = _setting(True, "Show *Run* above each target region.")
    price: bool = _setting(True, "Show in *Preview* what the kernel needs, where a compiler tells.")
    graph: bool = _setting(True, "Show *Task graph* above tasks with `depend`, and how large it is.")


@dataclass(frozen=True, slots=True)
class InlaySettings:
    implicit: bool = _setting(True, "Show what a target construct maps and copies implicitly, after its pragma.")
    counts: bool = _setting(True, "Show the reference counts that `target enter data` and `exit data` change.")


@dataclass(frozen=True, slots=True)
class TokenSettings:
    enable: bool = _setting(True, "Colour pragma lines word by word (semantic tokens).")


@dataclass(frozen=True, slots=True)
class Settings:
    openmp_version: OpenMPVersion = _setting(  # noqa: RUF009
        "5.2",
        "The version of the OpenMP specification to check against, which `_OPENMP` then says.",
        "openmpVersion",
    )
    flags: tuple[str, ...] = _setting(
        (), "Compiler flags (`-I`, `-D`, `-std`, …) on top of the compile database's.", "flags"
    )
    diagnostics: DiagnosticSettings = field(default_factory=DiagnosticSettings)
    preview: PreviewSettings = field(default_factory=PreviewSettings)
    run: RunSettings = field(default_factory=RunSettings)
    lens: LensSettings = field(default_factory=LensSettings)
    inlay: InlaySettings = field(default_factory=InlaySettings)
    tokens: TokenSettings = field(default_factory=TokenSettings)
    device_chosen: bool = False  # no setting: whether some layer says which device

    def for_analysis(self) -> AnalysisSettings:
        return AnalysisSettings(
            openmp=self.openmp_version,
            devices=of_settings(self.preview.device),
            device_chosen=self.device_chosen,
            select=self.diagnostics.select,
            ignore=self.diagnostics.ignore,
            severity=self.diagnostics.severity,
        )

    def kept(self, found: Iterable[Diagnostic], absolute: typing.Callable[[str], str] = str) -> list[Diagnostic]:
        """`found` without what is ignored for its file; `absolute` makes a diagnostic's path absolute."""
        if not self.diagnostics.per_path_ignores:
            return list(found)
        found = list(found)
        gone = {path: self._ignored_in(absolute(path)) for path in {d.where.path for d in found}}
        return [d for d in found if d.rule not in gone[d.where.path]]

    def _ignored_in(self, path: str) -> set[str]:
        from ompls.analysis.rules import members  # noqa: PLC0415 -- all rules: only for those who need them

        names = [n for glob, ignored in self.diagnostics.per_path_ignores if matches(glob, path) for n in ignored]
        return {rule for name in names for rule in (name, *members(name))}


@dataclass(frozen=True, slots=True)
class Entry:
    """One setting in the list: `key` in a layer, `name` in an editor, `project` in a project file ('' if not there)."""

    key: str
    name: str
    project: str
    kind: Any
    default: Any
    doc: str
    names: bool
    device: bool
    editor: bool


def entries() -> list[Entry]:
    """Every setting: the one list that editors, the project file and the pages about them are made from."""
    found: list[Entry] = []

    def walk(kind: type[Any], key: str, name: str) -> None:
        hints = typing.get_type_hints(kind)
        default = kind()
        for f in dataclasses.fields(kind):
            its_key, its_name = key + f.name, f"{name}.{_camel(f.name)}"
            if dataclasses.is_dataclass(hints[f.name]):
                walk(typing.cast("type[Any]", hints[f.name]), its_key + ".", its_name)
            elif f.metadata:
                value = getattr(default, f.name)
                found.append(Entry(its_key, its_name, kind=hints[f.name], default=value, **f.metadata))

    walk(Settings, "", "ompls")
    return found


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda m: m[1].upper(), name)


ENTRIES = {entry.key: entry for entry in entries()}


def listing() -> list[tuple[str, Any, Any, str]]:
    """Every editor's setting as (name, its type, default, what it does)."""
    return [(e.name, e.kind, e.default, e.doc) for e in ENTRIES.values() if e.editor]
