"""The settings as editors see them.  The list itself, and what is done with values, is `project/settings.py`'s."""

from __future__ import annotations

import typing
from typing import Any, Literal

from ompls.project.layers import Layer, parse, read, settings_of
from ompls.project.settings import Level, Settings, Severities, listing

__all__ = ["Layer", "Settings", "listing", "parse", "read", "settings_of", "vscode_properties"]

_JSON_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}


def vscode_properties() -> dict[str, dict[str, Any]]:
    """The list as VS Code's `contributes.configuration.properties` (a test compares package.json with it)."""
    properties: dict[str, dict[str, Any]] = {}
    for name, hint, default, doc in listing():
        shape: dict[str, Any] = {}
        if typing.get_origin(hint) is Literal:
            shape = {"type": "string", "enum": list(typing.get_args(hint))}
        elif hint == Severities:
            shape = {"type": "object", "additionalProperties": {"enum": list(typing.get_args(Level))}}
            default = {}  # noqa: PLW2901 -- a tuple of pairs here
        elif hint in _JSON_TYPES:
            shape = {"type": _JSON_TYPES[hint]}
        else:
            shape = {"type": "array", "items": {"type": "string"}}
        shape["default"] = list(default) if isinstance(default, tuple) else default
        properties[name] = {**shape, "scope": "resource", "markdownDescription": doc}
    return properties
