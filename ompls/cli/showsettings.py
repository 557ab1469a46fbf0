"""`ompls check --show-settings`: the settings in force, as a project file would say them, and where each comes from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ompls.cli.engine import Engine
from ompls.cli.places import shown


def text(engine: Engine, name: str) -> str:
    """TOML; what comes from a project file or from the command line says so in a comment."""
    return "\n".join(_lines(engine, name))


def _lines(engine: Engine, name: str) -> Iterator[str]:
    from ompls.project.settings import ENTRIES, PathIgnores, Severities

    settings, project = engine.settings(name), engine.project(name)
    path = engine.path(name)
    yield f"# settings for {shown(path)}"
    yield f"# project file: {shown(project.path) if project is not None else 'none'}"
    yield f"# flags in force: {' '.join(engine.workspace.flags(path)) or 'none'}"
    for entry in ENTRIES.values():
        if not entry.project:
            continue
        value: Any = settings
        for part in entry.key.split("."):
            value = getattr(value, part)
        origin = "default"
        if project is not None and entry.key in project.layer:
            origin = f"{shown(project.path)}:{project.lines[entry.key]}"
        if entry.key in engine.options.layer:
            origin = "command line"
        empty = not value and entry.kind in (Severities, PathIgnores)
        yield f"{entry.project} = {'{}' if empty else _toml(value)}  # {origin}"


def _toml(value: Any) -> str:
    """Texts, lists of texts, and the pairs that tables became."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if value and isinstance(value[0], tuple):
        return "{ " + ", ".join(f"{_toml(key)} = {_toml(its)}" for key, its in value) + " }"
    return "[" + ", ".join(_toml(one) for one in value) + "]"
