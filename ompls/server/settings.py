"""The settings `ompls.*`: one list for every editor, as a tree of dataclasses.

`parse` takes what a client sends (initializationOptions, `workspace/configuration` or `didChangeConfiguration`) and
never fails: a value of the wrong kind keeps its default and is named in the problems that come back with it.
Field names are snake_case here and camelCase in an editor (`run.timeout`, `diagnostics.maxFileSize`).
"""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ompls.analysis.source import OpenMPVersion
from ompls.analysis.source import Settings as AnalysisSettings


def _setting(default: Any, doc: str) -> Any:
    return field(default=default, metadata={"doc": doc})


@dataclass(frozen=True, slots=True)
class DiagnosticSettings:
    enable: bool = _setting(True, "Report problems at all.")
    select: tuple[str, ...] = _setting((), "Report these rules only (all when empty).")
    ignore: tuple[str, ...] = _setting((), "Never report these rules.")
    max_file_size: int = _setting(4_000_000, "Files above this many bytes are not analysed.")


@dataclass(frozen=True, slots=True)
class PreviewSettings:
    device: str = _setting("cuda", "The device class whose code *Preview* shows.")


@dataclass(frozen=True, slots=True)
class RunSettings:
    device: str = _setting("auto", "The device that *Run* uses: `auto`, `cudasim`, `cuda:2`, …")
    arguments: tuple[str, ...] = _setting((), "Arguments of the program that *Run* starts.")
    timeout: float = _setting(0.0, "Seconds after which *Run* stops the program (0: never).")


@dataclass(frozen=True, slots=True)
class LensSettings:
    preview: bool = _setting(True, "Show *Preview* above each target region.")
    run: bool = _setting(True, "Show *Run* above each target region.")


@dataclass(frozen=True, slots=True)
class InlaySettings:
    implicit: bool = _setting(True, "Show what a target construct maps and copies implicitly, after its pragma.")


@dataclass(frozen=True, slots=True)
class TokenSettings:
    enable: bool = _setting(True, "Colour pragma lines word by word (semantic tokens).")


@dataclass(frozen=True, slots=True)
class Settings:
    openmp: OpenMPVersion = _setting("5.2", "The version of the OpenMP specification to check against.")  # noqa: RUF009
    flags: tuple[str, ...] = _setting((), "Compiler flags (`-I`, `-D`, `-std`, …) on top of the compile database's.")
    diagnostics: DiagnosticSettings = field(default_factory=DiagnosticSettings)
    preview: PreviewSettings = field(default_factory=PreviewSettings)
    run: RunSettings = field(default_factory=RunSettings)
    lens: LensSettings = field(default_factory=LensSettings)
    inlay: InlaySettings = field(default_factory=InlaySettings)
    tokens: TokenSettings = field(default_factory=TokenSettings)

    def for_analysis(self) -> AnalysisSettings:
        return AnalysisSettings(
            openmp=self.openmp,
            device=self.preview.device.partition(":")[0],
            select=self.diagnostics.select,
            ignore=self.diagnostics.ignore,
        )


def parse(value: object) -> tuple[Settings, list[str]]:
    """The settings in `value` (the object under `ompls`), and a sentence for each that cannot be used."""
    problems: list[str] = []
    if value is None:
        return Settings(), problems
    if not isinstance(value, Mapping):
        return Settings(), [f"ompls: expected an object of settings, got {_show(value)}; the defaults are used"]
    settings: Settings = _tree(Settings, value, "ompls", problems)
    return settings, problems


def listing() -> list[tuple[str, Any, Any, str]]:
    """Every setting as (name in an editor, its type, default, what it does): the one list editors are made from."""
    rows: list[tuple[str, Any, Any, str]] = []

    def walk(kind: type[Any], prefix: str) -> None:
        hints = typing.get_type_hints(kind)
        default = kind()
        for f in dataclasses.fields(kind):
            name = f"{prefix}.{_camel(f.name)}"
            if dataclasses.is_dataclass(hints[f.name]):
                walk(typing.cast("type[Any]", hints[f.name]), name)
            else:
                rows.append((name, hints[f.name], getattr(default, f.name), f.metadata["doc"]))

    walk(Settings, "ompls")
    return rows


def _tree(kind: type[Any], value: Mapping[str, object], prefix: str, problems: list[str]) -> Any:
    hints = typing.get_type_hints(kind)
    chosen: dict[str, Any] = {}
    for f in dataclasses.fields(kind):
        given = value.get(_camel(f.name))
        if given is None:
            continue
        name, hint = f"{prefix}.{_camel(f.name)}", hints[f.name]
        if dataclasses.is_dataclass(hint):
            if isinstance(given, Mapping):
                chosen[f.name] = _tree(typing.cast("type[Any]", hint), given, name, problems)
            else:
                problems.append(f"{name}: expected an object, got {_show(given)}; the defaults are used")
            continue
        converted, expected = _convert(hint, given)
        if expected:
            problems.append(f"{name}: expected {expected}, got {_show(given)}; the default is used")
        else:
            chosen[f.name] = converted
    return kind(**chosen)


def _convert(hint: Any, given: object) -> tuple[Any, str]:
    """(value, "") or (None, what was expected)."""
    if typing.get_origin(hint) is Literal:
        choices = typing.get_args(hint)
        return (given, "") if given in choices else (None, "one of " + ", ".join(map(repr, choices)))
    if hint is bool:
        return (given, "") if isinstance(given, bool) else (None, "true or false")
    if hint in (int, float):
        ok = isinstance(given, (int, float)) and not isinstance(given, bool) and given >= 0
        return (hint(given), "") if ok else (None, "a number that is not negative")
    if hint is str:
        return (given, "") if isinstance(given, str) and given else (None, "a text that is not empty")
    ok = isinstance(given, (list, tuple)) and all(isinstance(g, str) for g in given)
    return (tuple(typing.cast("list[str]", given)), "") if ok else (None, "a list of texts")


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda m: m[1].upper(), name)


def _show(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def vscode_properties() -> dict[str, dict[str, Any]]:
    """The list as VS Code's `contributes.configuration.properties` (a test compares package.json with it)."""
    properties: dict[str, dict[str, Any]] = {}
    for name, hint, default, doc in listing():
        shape: dict[str, Any] = {}
        if typing.get_origin(hint) is Literal:
            shape = {"type": "string", "enum": list(typing.get_args(hint))}
        elif hint in _JSON_TYPES:
            shape = {"type": _JSON_TYPES[hint]}
        else:
            shape = {"type": "array", "items": {"type": "string"}}
        shape["default"] = list(default) if isinstance(default, tuple) else default
        properties[name] = {**shape, "scope": "resource", "markdownDescription": doc}
    return properties


_JSON_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}
