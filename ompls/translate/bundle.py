"""The bundle as a value: files and manifest (docs/bundle.md)."""

from __future__ import annotations

import hashlib
import json
import os.path
from dataclasses import dataclass, field
from typing import Any

from ompls import __version__
from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.encoding import encoded

FORMAT = 1


@dataclass
class Bundle:
    """`files` by path in the bundle, manifest.json among them; empty when there are `diagnostics`."""

    files: dict[str, bytes] = field(default_factory=dict)
    manifest: dict[str, Any] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def pack(files: dict[str, str], units: list[dict[str, Any]], devices: list[str], classes: list[str]) -> Bundle:
    """A bundle of generated texts, with the manifest that describes them."""
    data = {path: encoded(text) for path, text in sorted(files.items())}
    manifest = {
        "ompls_bundle": FORMAT,
        "generator": f"ompls {__version__}",
        "devices": devices,
        "classes": classes,
        "units": units,
        "sha256": {path: hashlib.sha256(x).hexdigest() for path, x in data.items()},
    }
    data["manifest.json"] = _manifest_file(manifest)
    return Bundle(data, manifest)


def _manifest_file(manifest: dict[str, Any]) -> bytes:
    text = written(manifest) + "\n"
    return text.encode("utf-8", "backslashreplace")  # manifest.json has JSON's escapes where a name is not UTF-8


def for_debuggers(bundle: Bundle, flags: list[str], directory: str) -> None:
    """Note with which options kernels are compiled for a debugger, and from which directory it finds the sources."""
    for unit in bundle.manifest["units"]:
        unit["debug"] = {"flags": flags, "directory": directory}
    bundle.files["manifest.json"] = _manifest_file(bundle.manifest)


_string = json.encoder.encode_basestring


def written(value: Any, margin: str = "\n") -> str:
    """`json.dumps(value, indent=2, ensure_ascii=False)` in a third of its time: most of a manifest is line maps."""
    inner = margin + "  "
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, dict) and value:
        entries = [f"{_string(key)}: {written(x, inner)}" for key, x in value.items()]
        return "{" + inner + ("," + inner).join(entries) + margin + "}"
    if isinstance(value, (list, tuple)) and value:
        return "[" + inner + ("," + inner).join([written(x, inner) for x in value]) + margin + "]"
    return str(value) if type(value) is int else json.dumps(value)


def directory_of(path: str) -> str:
    return os.path.dirname(path.replace("\\", "/"))
