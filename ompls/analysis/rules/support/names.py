"""Directive names of which a word is misspelt or in a wrong place, so that the rest is read as clauses."""

from __future__ import annotations

import itertools

from ompls.analysis.model.ast import Span
from ompls.analysis.model.omp import Directive
from ompls.analysis.spec import DIRECTIVES, clauses_of
from ompls.analysis.spec.combined import WORDS, combined
from ompls.analysis.spec.near import near
from ompls.analysis.syntax import directive_name


def longer_name(directive: Directive, version: str) -> tuple[str, Span, str] | None:
    """Words right after a known name that belong to a name: all as written, where, and the directive meant ("": none).

    They would nearly make a longer one (`target tems distribute`), or they are words of other directives
    (`target teams parallel for`, `parallel critical`).
    """
    name, count = directive_name.longer_name(directive)
    meant = meant_by(name, version) if name else ""
    if not meant or not set(directive.name.split()) <= set(meant.split()):
        own = clauses_of(directive.name)
        others = itertools.takewhile(lambda c: c.name in WORDS and not c.text and c.name not in own, directive.clauses)
        words = [c.name for c in others]
        if not words or directive.name.endswith("metadirective"):
            return None
        name, count = " ".join([directive.name, *words]), len(words)
        meant = combined(name.split(), version)
    return name, Span(directive.name_span.start, directive.clauses[count - 1].span.end), meant


def meant_by(name: str, version: str) -> str:
    """The directive that is meant by a name that none has, "" if nobody can tell."""
    close = near(name, DIRECTIVES)
    word_by_word = [n for n in close if _word_by_word(name, n)]
    return next(iter((*word_by_word, combined(name.replace("_", " ").split(), version), *close)), "")


def _word_by_word(name: str, meant: str) -> bool:
    """Whether each word is nearly the other's."""
    pairs = list(zip(name.split(), meant.split(), strict=False))
    return len(name.split()) == len(meant.split()) and all(a == b or near(a, [b]) for a, b in pairs)
