"""What a rule says.  Ranges are `Location`s already (original file, byte offsets)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ompls.analysis.encoding import well_formed
from ompls.analysis.source import Location

Severity = Literal["error", "warning", "hint"]


@dataclass(frozen=True, slots=True)
class Related:
    where: Location
    message: str

    def __post_init__(self) -> None:
        _write_well(self, "message", self.message)


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the bytes of `where` with `text`, which has the user's other bytes as `decoded` gives them."""

    where: Location
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    title: str
    edits: tuple[Edit, ...]
    safe: bool = True  # False: may change what the program does beyond the reported problem

    def __post_init__(self) -> None:
        _write_well(self, "title", self.title)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    rule: str
    severity: Severity
    message: str
    where: Location
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()

    def __post_init__(self) -> None:
        _write_well(self, "message", self.message)


def _write_well(said: object, name: str, text: str) -> None:
    """What quotes the user's text is for people."""
    if not text.isascii():
        object.__setattr__(said, name, well_formed(text))
