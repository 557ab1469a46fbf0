"""Snippets with a cursor mark `¦`, and the unit they mean."""

from __future__ import annotations

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.tu import TU
from ompls.analysis.source import EMPTY_SNAPSHOT, HeaderSnapshot, OpenMPVersion, Settings

MARK = "¦"


def unit(text: str, version: OpenMPVersion = "5.2", headers: HeaderSnapshot = EMPTY_SNAPSHOT) -> TU:
    return Analyzer().analyze("x.c", text.encode(), headers, Settings(openmp=version))


def marked(text: str, version: OpenMPVersion = "5.2", headers: HeaderSnapshot = EMPTY_SNAPSHOT) -> tuple[TU, int]:
    """The unit without the mark, and the byte offset where it stood."""
    before, _, after = text.partition(MARK)
    return unit(before + after, version, headers), len(before.encode())
