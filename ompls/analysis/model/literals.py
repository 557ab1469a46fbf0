"""Values and types of C's literals (C11 §6.4.4, §6.4.5), from their spelling."""

from __future__ import annotations

import re

from ompls.analysis.encoding import decoded, encoded
from ompls.analysis.model.ctype import UNKNOWN, Array, CType, Floating, IntegerKind, shared
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.patterns import later

_STRING = later(r'(u8|[uUL])?"((?:[^"\\\n]|\\.)*)"', re.S)
_ESCAPE = later(rb"\\(?:x[0-9a-fA-F]+|[0-7]{1,3}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.S)
_SIMPLE = {b"n": 10, b"t": 9, b"r": 13, b"0": 0, b"a": 7, b"b": 8, b"f": 12, b"v": 11, b"e": 27, b"E": 27}
_UNITS: dict[str, IntegerKind] = {"u": "unsigned short", "U": "unsigned int", "u8": "char", "": "char"}


def number(text: str, model: DataModel) -> tuple[CType, int | None]:
    """(type, value) of a pp-number; value is None for a floating constant, the type UNKNOWN when it is none."""
    low = text.replace("'", "").lower()
    if low[:1] in "+-" and low[1:]:  # the grammar takes a sign in front of a number for a part of it
        t, value = number(low[1:], model)
        return t, value if value is None or low[0] == "+" else -value
    hexadecimal = low.startswith("0x")
    if ("p" in low) if hexadecimal else ("." in low or "e" in low):
        return _floating(low, hexadecimal), None
    digits = low.rstrip("ul")
    suffix = low[len(digits) :]
    try:
        if hexadecimal:
            value = int(digits, 16)
        elif digits.startswith("0b"):
            value = int(digits[2:], 2)
        else:
            value = int(digits, 8) if len(digits) > 1 and digits[0] == "0" else int(digits)
    except ValueError:
        return (_floating(low, hexadecimal) if low[:1].isdigit() and low[-1:] == "f" else UNKNOWN), None
    decimal = not hexadecimal and not digits.startswith("0b") and (digits[:1] != "0" or digits == "0")
    return _integer(value, "u" in suffix, suffix.count("l"), decimal, model), value


def _integer(value: int, unsigned: bool, longs: int, decimal: bool, model: DataModel) -> CType:
    """The first type of C11 §6.4.4.1's list that can hold the value."""
    for kind in ("int", "long", "long long")[longs:]:
        bits = model.sizes[kind] * 8
        if not unsigned and value < 1 << (bits - 1):
            return model.integer(kind)
        if (unsigned or not decimal) and value < 1 << bits:
            return model.integer("unsigned " + kind)
    return model.integer("__int128") if value < 1 << 127 else UNKNOWN


def _floating(low: str, hexadecimal: bool) -> CType:
    imaginary = "i" in low or "j" in low
    body = low.replace("i", "").replace("j", "")
    if body.endswith("f128"):
        return Floating("_Float128", imaginary)
    if body.endswith("f16"):
        return Floating("_Float16", imaginary)
    if body.endswith("f") and (not hexadecimal or "p" in body):
        return shared(Floating("float", imaginary))
    if body.endswith("l"):
        return Floating("long double", imaginary)
    return shared(Floating("double", imaginary)) if body[-1:] not in "qwd" else UNKNOWN


def character(text: str, model: DataModel) -> tuple[CType, int]:
    """(type, value) of a character constant."""
    prefix, _, rest = text.partition("'")
    raw = _decode(encoded(rest.removesuffix("'")), prefix == "")
    value = 0
    if prefix:
        value = raw[-1] if raw else 0
    else:
        for unit in raw:
            value = (value << 8 | (unit & 255)) & 0xFFFFFFFF
        if len(raw) == 1 and value > 127 and model.signed_char:
            value -= 256
    if prefix and prefix != "L" and prefix not in _UNITS:
        return UNKNOWN, value
    t = model.integer(_unit(prefix, model) if prefix else "int")
    if t.kind == "int" and value >= 1 << 31:
        value -= 1 << 32
    return t, value


def _unit(prefix: str, model: DataModel) -> IntegerKind:
    """The type of an element of a literal."""
    return model.wide_char if prefix == "L" else _UNITS[prefix]


def prefix(text: str) -> str:
    """What stands before adjacent string literals: "", "u8", "u", "U" or "L"."""
    return next((p for p, _ in _STRING.findall(text) if p), "")


def units(text: str) -> list[int]:
    """The code units of adjacent string literals, without the terminating null."""
    kind = prefix(text)
    found = [u for _, body in _STRING.findall(text) for u in _decode(encoded(body), _UNITS.get(kind) == "char")]
    if kind != "u":
        return found
    return [half for u in found for half in ((0xD7C0 + (u >> 10), 0xDC00 + (u & 0x3FF)) if u > 0xFFFF else (u,))]


def text(literal: str) -> str:
    """What adjacent narrow string literals say; bytes that are no UTF-8 as `surrogateescape` has them."""
    return decoded(bytes(unit & 0xFF for unit in units(literal)))


def string(text: str, model: DataModel) -> CType:
    """The array type of adjacent string literals, with the terminating null."""
    return Array(model.integer(_unit(prefix(text), model)), len(units(text)) + 1)


def _decode(body: bytes, narrow: bool) -> list[int]:
    """Code units (narrow: bytes, else code points) of the body of a literal."""
    units: list[int] = []
    at = 0
    for m in _ESCAPE.finditer(body):
        units += _plain(body[at : m.start()], narrow)
        escape = m.group()[1:]
        if escape[:1] == b"x":
            units.append(int(escape[1:] or b"0", 16))
        elif escape[:1] in b"01234567":
            units.append(int(escape, 8))
        elif escape[:1] in b"uU" and len(escape) > 1:
            point = int(escape[1:], 16)
            units += _plain(chr(point).encode("utf-8", "replace"), narrow) if point < 0x110000 else [0]
        elif escape not in (b"\n", b"\r"):
            units.append(_SIMPLE.get(escape, escape[0]))
        at = m.end()
    return units + _plain(body[at:], narrow)


def _plain(raw: bytes, narrow: bool) -> list[int]:
    return list(raw) if narrow else [ord(c) for c in decoded(raw)]
