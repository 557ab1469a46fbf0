"""Settings from several places.  What one place gives is a *layer*: the valid values, by the field's name.

`settings_of` puts layers together: command line over editor over project file over defaults.  Nothing here fails: a
value of the wrong kind keeps its default and is named in the problems that come back with it.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import re
import typing
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from ompls.analysis.rulenames import GROUPS, is_name, near_ids
from ompls.project.devices import registry
from ompls.project.problem import EnvironmentProblem, shown
from ompls.project.settings import ENTRIES, Entry, Level, PathIgnores, Settings, Severities

Layer = dict[str, Any]  # 'diagnostics.max_file_size' -> value


def settings_of(*layers: Mapping[str, Any]) -> Settings:
    """The settings that these layers give together, the weakest first.

    A stronger value replaces a weaker one, but flags add up, and what a stronger layer selects no weaker one ignores.
    """
    chosen: Layer = {}
    for layer in layers:
        if "diagnostics.select" in layer and "diagnostics.ignore" not in layer:
            chosen.pop("diagnostics.ignore", None)
        flags = (*chosen.get("flags", ()), *layer.get("flags", ()))
        chosen |= layer
        if flags:
            chosen["flags"] = flags
    settings: Settings = _built(Settings, "", chosen)
    return dataclasses.replace(settings, device_chosen="preview.device" in chosen)


_hints = functools.cache(typing.get_type_hints)  # it evaluates texts: a third of a millisecond for each class


def _built(kind: Any, prefix: str, chosen: Mapping[str, Any]) -> Any:
    hints = _hints(kind)
    values: dict[str, Any] = {}
    for f in dataclasses.fields(kind):
        key = prefix + f.name
        if dataclasses.is_dataclass(hints[f.name]):
            values[f.name] = _built(typing.cast("type[Any]", hints[f.name]), key + ".", chosen)
        elif key in chosen:
            values[f.name] = chosen[key]
    return kind(**values)


def read(value: object) -> tuple[Layer, list[str]]:
    """The layer of an editor (the object under `ompls`), and a sentence for each value that cannot be used.

    Some editors send their defaults, too, so a default is as good as nothing: the project file may say otherwise.
    """
    problems: list[str] = []
    layer: Layer = {}
    if value is not None and not isinstance(value, Mapping):
        return {}, [f"ompls: expected an object of settings, got {shown(value)}; the defaults are used"]
    _read(value or {}, "ompls", layer, problems)
    return {key: v for key, v in layer.items() if v != ENTRIES[key].default}, problems


def _read(value: Mapping[str, object], prefix: str, layer: Layer, problems: list[str]) -> None:
    for name in dict.fromkeys(e.name[len(prefix) + 1 :].partition(".")[0] for e in _below(prefix)):
        given = value.get(name)
        if given is None:
            continue
        full = f"{prefix}.{name}"
        entry = next((e for e in _below(prefix) if e.name == full), None)
        if entry is None:
            if isinstance(given, Mapping):
                _read(given, full, layer, problems)
            else:
                problems.append(f"{full}: expected an object, got {shown(given)}; the defaults are used")
            continue
        converted, complaints = convert(entry, given)
        left = "; the default is used" if converted is None else ""
        problems += [f"{full}: {complaint}{left}" for complaint in complaints]
        if converted is not None:
            layer[entry.key] = converted


def _below(prefix: str) -> list[Entry]:
    return [e for e in ENTRIES.values() if e.editor and e.name.startswith(prefix + ".")]


def parse(value: object) -> tuple[Settings, list[str]]:
    """The settings of an editor's object alone, without a project file."""
    layer, problems = read(value)
    return settings_of(layer), problems


# --- values --------------------------------------------------------------------------------------------------------


def convert(entry: Entry, given: object) -> tuple[Any, list[str]]:
    """(the value, or None when the default is used; what is wrong).  Unknown rules are left out of their list."""
    value, expected = _of_kind(entry.kind, given)
    if expected:
        return None, [f"expected {expected}, got {shown(given)}"]
    if entry.device:
        try:
            registry().chosen(value)
        except EnvironmentProblem as problem:
            return None, [str(problem)]
    return _with_known_names(entry, value) if entry.names else (value, [])


def _of_kind(kind: Any, given: object) -> tuple[Any, str]:
    """(value, "") or (None, what was expected)."""
    if typing.get_origin(kind) is Literal:
        choices = typing.get_args(kind)
        return (given, "") if given in choices else (None, _one_of(choices))
    if kind is bool:
        return (given, "") if isinstance(given, bool) else (None, "true or false")
    if kind in (int, float):
        ok = isinstance(given, (int, float)) and not isinstance(given, bool) and 0 <= given < math.inf
        return (kind(given), "") if ok else (None, "a number that is not negative")
    if kind is str:
        return (given, "") if isinstance(given, str) and given else (None, "a text that is not empty")
    if kind == Severities:
        ok = isinstance(given, Mapping) and all(level in typing.get_args(Level) for level in given.values())
        return (given, "") if ok else (None, "rules with 'error', 'warning', 'hint' or 'off'")
    if kind == PathIgnores:
        ok = isinstance(given, Mapping) and all(_texts(names) for names in given.values())
        return (given, "") if ok else (None, "paths with lists of rules")
    return (tuple(typing.cast("list[str]", given)), "") if _texts(given) else (None, "a list of texts")


def _one_of(names: Iterable[str]) -> str:
    return "one of " + ", ".join(map(repr, names))


def _texts(given: object) -> bool:
    return isinstance(given, (list, tuple)) and all(isinstance(g, str) for g in given)


def _with_known_names(entry: Entry, value: Any) -> tuple[Any, list[str]]:
    problems: list[str] = []

    def known(names: Iterable[str]) -> list[str]:
        kept = []
        for name in names:
            if is_name(name):
                kept.append(name)
            else:
                close = near_ids(name)
                meant = f"did you mean {' or '.join(close)}?" if close else "'ompls explain' lists them"
                problems.append(f"unknown rule '{name}': no rule or group has this name; {meant}")
        return kept

    if entry.kind == Severities:
        names = sorted(known(value), key=lambda name: name not in GROUPS)
        return tuple((name, value[name]) for name in names), problems
    if entry.kind == PathIgnores:
        return tuple((glob, tuple(known(names))) for glob, names in value.items()), problems
    return tuple(known(value)), problems


def absolute_globs(layer: Layer, directory: str) -> Layer:
    """`layer` with its patterns meant from `directory` (where the project file is)."""
    result = dict(layer)
    if globs := result.get("diagnostics.exclude"):
        result["diagnostics.exclude"] = tuple(meant_from(directory, glob) for glob in globs)
    if ignores := result.get("diagnostics.per_path_ignores"):
        result["diagnostics.per_path_ignores"] = tuple((meant_from(directory, glob), names) for glob, names in ignores)
    return result


def meant_from(directory: str, glob: str) -> str:
    """The absolute pattern that `glob` is in a directory.

    As in .gitignore: a pattern without a slash in its middle is meant at any depth.
    """
    plain = glob.strip("/")
    anchored = glob.startswith("/") or "/" in plain
    return f"{_quoted(directory.rstrip('/'))}/{'' if anchored else '**/'}{plain}"


def _quoted(directory: str) -> str:
    return re.sub(r"([*?\[\\])", r"\\\1", directory)
