"""Declarations as hovers and completions show them: a structure without a tag is called as its `typedef` says."""

from __future__ import annotations

from ompls.analysis.model.ctype import CType, Enum, Record
from ompls.analysis.model.declare import declare
from ompls.analysis.model.tu import TU


def declared(tu: TU, t: CType, name: str) -> str:
    """A declaration of `name` with type `t`, without the semicolon."""
    return declare(t, name, lambda of: _typedef(tu, of) or f"{'enum' if isinstance(of, Enum) else of.kind} {{ … }}")


def _typedef(tu: TU, t: Record | Enum) -> str:
    """The file's first name for a type that has no tag; '' when it gives none."""
    names = (s for s in tu.symbols.own.values() if s.kind == "typedef")
    return next((s.name for s in names if isinstance(s.type, Record | Enum) and s.type.uid == t.uid), "")
