"""The JSON schema of a bundle's manifest.json (draft 2020-12); docs/bundle.md explains the fields."""

from __future__ import annotations

from typing import Any

from ompls.translate.plan import KINDS

_STRING: dict[str, Any] = {"type": "string"}
_LINE: dict[str, Any] = {"type": "integer", "minimum": 1}
_COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
_FLAG: dict[str, Any] = {"type": "boolean"}
_CLASS: dict[str, Any] = {"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_.-]*$"}  # "gpu", "default", a device's
_STRINGS: dict[str, Any] = {"type": "array", "items": _STRING}


def _object(**properties: Any) -> dict[str, Any]:
    """An object with exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _array(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _by_class(values: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "propertyNames": _CLASS, "additionalProperties": values}


_PARAM = _object(name=_STRING, kind={"enum": list(KINDS)}, size=_LINE, align=_LINE, ctype=_STRING)
_MAP = _object(
    name=_STRING, variable=_STRING, type=_STRING, sharing=_STRING, implicit=_FLAG, why=_STRING, section=_STRING
)
_KERNEL = _object(
    name={"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
    region=_STRING,
    id=_STRING,
    function=_STRING,
    line=_LINE,
    end_line=_LINE,
    file=_STRING,
    mode={"enum": ["spmd", "master_worker"]},
    files=_by_class(_STRING),
    params=_array(_PARAM),
    only_read=_STRINGS,
    maps=_array(_MAP),
    globals=_STRINGS,
    externals=_STRINGS,
    launch=_object(num_teams=_STRING, thread_limit=_STRING, num_threads=_STRING, trip_count=_STRING),
    constructs=_STRINGS,
    line_map=_by_class(_array({"type": "array", "prefixItems": [_LINE, _LINE], "minItems": 2, "maxItems": 2})),
)
_UNIT = _object(
    source=_STRING,
    host=_STRING,
    headers={"type": "object", "additionalProperties": _STRING},
    includes_from=_STRING,
    openmp=_LINE,
    abi=_object(architecture=_STRING, macros={"type": "object", "additionalProperties": _STRING}),
    kernels=_array(_KERNEL),
    functions=_array(
        _object(name=_STRING, files=_by_class(_STRING), externals=_STRINGS, parallel=_FLAG, reason=_STRING)
    ),
    globals=_array(_object(name=_STRING, symbol=_STRING, size=_COUNT, link=_FLAG, static=_FLAG)),
    constructs=_array(
        _object(construct=_STRING, line=_LINE, file=_STRING, maps=_array(_object(name=_STRING, flags=_STRINGS)))
    ),
)
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "The manifest of an ompls bundle",
    **_object(
        ompls_bundle={"const": 1},
        generator=_STRING,
        devices=_STRINGS,
        classes={"type": "array", "items": _CLASS},
        units=_array(_UNIT),
        sha256={"type": "object", "additionalProperties": {"type": "string", "pattern": "^[0-9a-f]{64}$"}},
    ),
}
