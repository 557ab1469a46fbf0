"""Which words of a directive a version of OpenMP does not have."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.ast import Span
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.spec import CLAUSES, DIRECTIVES
from ompls.analysis.spec.versions import CLAUSE_ON, WORD_OF, is_newer


def newer_words(directive: Directive, version: str) -> Iterator[tuple[Span, str, str]]:
    """Each word of a known directive that is too new: where it is, what it is, since when."""
    since = DIRECTIVES[directive.name].since
    if is_newer(since, version):
        yield directive.name_span, f"`{directive.name}`", since
        return
    for clause in directive.clauses:
        spec = CLAUSES.get(clause.name)
        if spec is None or clause.broken:
            continue
        if is_newer(spec.since, version):
            yield clause.name_span, f"the clause `{clause.name}`", spec.since
            continue
        on = _on(directive, clause.name)
        if is_newer(on, version):
            yield clause.name_span, f"`{clause.name}` on `{directive.name}`", on
            continue
        yield from _of_clause(clause, version)


def _on(directive: Directive, clause: str) -> str:
    """The version that brought the clause to the directive: of the leaf that had it first; "" when it always had it."""
    takers = [leaf for leaf in directive.constructs if leaf in DIRECTIVES and clause in DIRECTIVES[leaf].clauses]
    return min((CLAUSE_ON.get((leaf, clause), "") for leaf in takers), default="")


def _of_clause(clause: Clause, version: str) -> Iterator[tuple[Span, str, str]]:
    words = [(clause.keyword, clause.keyword_span), *((m.partition("(")[0], None) for m in clause.modifiers)]
    spec = CLAUSES[clause.name]
    for word, span in words:
        since = WORD_OF.get((clause.name, word), "")
        if is_newer(since, version):
            yield span or clause.span, f"`{word}` in `{clause.name}`", since
        elif word in spec.modifiers or word in spec.keywords or clause.name == "if":
            continue  # `simd` in `schedule`, `task` in `reduction`, `target` in `init`
        elif span is None and word.split("_")[0] in DIRECTIVES and is_newer("6.0", version):
            yield clause.span, f"the directive-name modifier `{word}`", "6.0"
    if clause.name == "num_teams" and len(clause.args) == 2 and is_newer("5.1", version):
        yield clause.span, "the lower bound of `num_teams`", "5.1"
