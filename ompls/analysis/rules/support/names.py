"""Directive names of which a word is misspelt, so that the rest is read as clauses: `target tems distribute`."""

from __future__ import annotations

from ompls.analysis.model.ast import Span
from ompls.analysis.model.omp import Directive
from ompls.analysis.spec import DIRECTIVES
from ompls.analysis.spec.near import near
from ompls.analysis.syntax import pragma


def longer_name(directive: Directive) -> tuple[str, Span, str] | None:
    """Words right after a known name that would nearly make a longer one: all as written, where, and the name meant."""
    name, count = pragma.longer_name(directive)
    meant = next((n for n in near(name, DIRECTIVES) if n.startswith(directive.name)), "") if name else ""
    if not meant:
        return None
    return name, Span(directive.name_span.start, directive.clauses[count - 1].span.end), meant
