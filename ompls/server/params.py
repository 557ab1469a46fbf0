"""What parameters of requests must look like, and what is said (InvalidParams, -32602) of those that do not."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from cattrs import ClassValidationError, transform_error
from pygls.exceptions import JsonRpcInvalidParams

from ompls.server.convert import Json
from ompls.server.documents import Change

Shape = Any  # a class, a list with the shape of its elements, or a mapping of fields; "name?" may be absent or null

_DOCUMENT = {"uri": str}
_POSITION = {"line": int, "character": int}
PREVIEW: Shape = {
    "textDocument": _DOCUMENT, "region?": str, "position?": _POSITION, "device?": str, "explain?": bool,
    "picture?": bool, "unfolded?": [str],
}  # fmt: skip
_WORD = "a string that a program can have as an argument: without NUL and half characters"  # of a command
_UINTEGER = 2**31 - 1  # the protocol's largest
_SIZE = {"columns": int, "rows": int}
RUN: Shape = {
    "textDocument": _DOCUMENT, "device?": _WORD, "remote?": _WORD, "arguments?": [_WORD], "run?": str,
    "terminal?": _SIZE, "trace?": bool,
}  # fmt: skip
RUN_INPUT: Shape = {"run": str, "text?": str, "terminal?": _SIZE}
DEVICES: Shape = {"textDocument?": _DOCUMENT}
ENVIRONMENT: Shape = {"textDocument": _DOCUMENT, "position": _POSITION, "visit?": int}
ENVIRONMENT_OF_REGION: Shape = {"textDocument": _DOCUMENT, "region": str, "visit?": int}
WHY: Shape = {"textDocument": _DOCUMENT, "position?": _POSITION}
LENS: Shape = {"uri": str, "region?": str, "device?": str, "position?": _POSITION}

_EXPECTED = {str: "a string", int: "a whole number that is not negative", bool: "true or false"}

_NAMED = {"str": _EXPECTED[str], "int": "a whole number", "bool": _EXPECTED[bool], "Sequence": "an array"}  # by cattrs


def checked(params: Any, shape: Shape) -> Json:
    """`params` if they have the shape; fields that it does not name are left alone.  Raises JsonRpcInvalidParams."""
    _check(params, shape, "params")
    return dict(params)


def is_word(text: str) -> bool:
    """Whether a process can be given this as an argument."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:  # half of a surrogate pair
        return False


def _check(value: Any, shape: Shape, where: str) -> None:
    if isinstance(shape, Mapping):
        if not isinstance(value, dict):
            raise JsonRpcInvalidParams(f"{where}: expected an object")
        for name, inner in shape.items():
            field, optional = name.rstrip("?"), name.endswith("?")
            if value.get(field) is not None:
                _check(value[field], inner, f"{where}.{field}")
            elif not optional:
                raise JsonRpcInvalidParams(f"{where}.{field} is missing")
    elif isinstance(shape, list):
        if not isinstance(value, (list, tuple)):
            raise JsonRpcInvalidParams(f"{where}: expected an array")
        for number, element in enumerate(value):
            _check(element, shape[0], f"{where}[{number}]")
    elif shape is _WORD:
        _check(value, str, where)
        if not is_word(value):
            raise JsonRpcInvalidParams(f"{where}: expected {_WORD}")
    elif type(value) is not shape or (shape is int and value < 0):
        raise JsonRpcInvalidParams(f"{where}: expected {_EXPECTED[shape]}")


def whole(value: Any, kind: Any) -> Any:
    """For the converter: some clients have no whole numbers, but none has them as text."""
    if kind is not int:  # an enumeration, or bool
        return kind(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value):
        raise ValueError
    return int(value)


def key(value: Any, _kind: Any) -> Any:
    """For the converter: the number or name of what is cancelled, by which it is looked up."""
    return text(value, str) if isinstance(value, str) else whole(value, int)


def text(value: Any, kind: Any) -> Any:
    """For the converter, which takes everything for text."""
    if kind is not str:
        return kind(value)
    if not isinstance(value, str):
        raise ValueError
    return value


def edit(params: Any) -> tuple[str, int, list[Change]]:
    """Of `textDocument/didChange`: the document, its version, and what has changed.

    Raises LookupError, TypeError, ValueError or ArithmeticError where it is not as the protocol says.
    """
    document, changes = params["textDocument"], params["contentChanges"]
    if not isinstance(changes, list):
        raise TypeError
    return text(document["uri"], str), whole(document["version"], int), [_change(change) for change in changes]


def _change(change: Any) -> Change:
    if "range" not in change:
        return Change(text(change["text"], str))
    places = change["range"]
    return Change(text(change["text"], str), _place(places["start"]), _place(places["end"]))


def _place(position: Any) -> tuple[int, int]:
    line, column = whole(position["line"], int), whole(position["character"], int)
    if not (0 <= line <= _UINTEGER and 0 <= column <= _UINTEGER):
        raise ValueError
    return line, column


def complaint(problem: Exception) -> str:
    """What the converter does not like about a message of the protocol: where, in the protocol's own names."""
    if not isinstance(problem, ClassValidationError):
        return "the parameters cannot be understood"
    said = []
    for line in transform_error(problem, path="$"):
        what, _, where = line.partition(" @ $.")
        where = re.sub(r"_(\w)", lambda m: m[1].upper(), where)
        expected = _NAMED.get(what.rpartition(" expected ")[2], "")
        said.append(
            f"{where} is missing" if what == "required field missing"
            else f"{where}: expected {expected}" if expected
            else f"{where}: not what it has to be"
        )  # fmt: skip
    return "; ".join(said)
