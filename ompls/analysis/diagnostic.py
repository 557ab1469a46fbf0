"""What a rule says.  Ranges are `Location`s already (original file, byte offsets)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ompls.analysis.source import Location

Severity = Literal["error", "warning", "hint"]


@dataclass(frozen=True, slots=True)
class Related:
    where: Location
    message: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the bytes of `where` with `text`."""

    where: Location
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    title: str
    edits: tuple[Edit, ...]
    safe: bool = True  # False: may change what the program does beyond the reported problem


@dataclass(frozen=True, slots=True)
class Diagnostic:
    rule: str
    severity: Severity
    message: str
    where: Location
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
