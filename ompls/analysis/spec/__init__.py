"""OpenMP as data: directives, clauses, runtime functions.  Rules, parser and features read the same tables."""

from ompls.analysis.spec.clauses import (
    CLAUSES,
    DEPEND_TYPES,
    MAP_TYPES,
    ClauseSpec,
    is_extension,
    is_known_clause,
)
from ompls.analysis.spec.directives import (
    DIRECTIVES,
    DirectiveSpec,
    clauses_of,
    constructs_of,
    is_declarative,
    is_standalone,
)

__all__ = [
    "CLAUSES",
    "DEPEND_TYPES",
    "DIRECTIVES",
    "MAP_TYPES",
    "ClauseSpec",
    "DirectiveSpec",
    "clauses_of",
    "constructs_of",
    "is_declarative",
    "is_extension",
    "is_known_clause",
    "is_standalone",
]
