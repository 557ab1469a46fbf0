"""What a word of a pragma means: directives, clauses, their keywords and modifiers; since when, where it is specified.

Lexical, so that it is there in inactive branches, in unfinished text, in `_Pragma("omp …")` and in attributes.
"""

from __future__ import annotations

from ompls.analysis.features import words
from ompls.analysis.features.operators import directive_around
from ompls.analysis.features.pragmas import in_comment
from ompls.analysis.model.omp import Clause
from ompls.analysis.spec import CLAUSES, DIRECTIVES, ClauseSpec
from ompls.analysis.spec.versions import WORD_OF
from ompls.analysis.syntax.clause_expr import tokenize
from ompls.analysis.syntax.pragma import parse_directive

_DEFAULT = (
    "**default**: the directive when no context matches; `otherwise` since OpenMP 5.2\n\nSince OpenMP 5.0; §7.4.2."
)


def word_text(source: bytes, offset: int) -> str | None:
    """Markdown about OpenMP's word at byte `offset`; None where there is none (a variable, for one)."""
    found = directive_around(source, offset)
    if found is None:
        return None
    source, pragma = found
    if in_comment(source[pragma.start : offset]):
        return None
    directive = parse_directive(source[pragma.start : pragma.line_end], pragma.start)
    if directive.name_span.start <= offset < directive.name_span.end:
        return directive_text(directive.name)
    for clause in directive.clauses:
        if clause.name_span.start <= offset < clause.name_span.end:
            if clause.name == "default" and directive.name.endswith("metadirective"):
                return _DEFAULT
            return clause_text(clause.name)
        if clause.span.start <= offset < clause.span.end:
            return _inside(source, clause, offset)
    return None


def directive_text(name: str) -> str | None:
    """What a directive does, since when, where it is specified."""
    spec = DIRECTIVES.get(name)
    if spec is None:
        return None
    until = f", until {spec.until}" if spec.until else ""
    clauses = ", ".join(f"`{c}`" for c in spec.clauses) or "none"
    return (
        f"**{spec.name}**: {spec.summary}\n\nSince OpenMP {spec.since}{until}; §{spec.section}.\n\nClauses: {clauses}"
    )


def clause_text(name: str) -> str | None:
    """What a clause does, since when, where it is specified."""
    spec = CLAUSES.get(name)
    if spec is None:
        return None
    text = f"**{spec.name}**: {spec.summary}\n\nSince OpenMP {spec.since}; §{spec.section}."
    if spec.keywords:
        text += f"\n\nOne of: {', '.join(f'`{k}`' for k in spec.keywords)}"
    if spec.modifiers:
        text += f"\n\nModifiers: {', '.join(f'`{m}`' for m in spec.modifiers)}"
    return text


def keyword_text(spec: ClauseSpec, word: str) -> str:
    """What a keyword or modifier means in a clause."""
    since = WORD_OF.get((spec.name, word), spec.since)
    colon = ": …" if word in spec.modifiers or words.keyword_takes_colon(spec.name) else ""
    return f"**{spec.name}({word}{colon})**: {words.meaning(spec.name, word)}\n\nSince OpenMP {since}; §{spec.section}."


def _inside(source: bytes, clause: Clause, offset: int) -> str | None:
    """The keyword or modifier at `offset`: before the list, or after the colon where words stand there."""
    spec = CLAUSES.get(clause.name)
    if spec is None:
        return None
    token = next((t for t in tokenize(source[clause.span.start : clause.span.end], clause.span.start)
                  if t.start <= offset < t.end), None)  # fmt: skip
    word = token.text if token is not None and token.kind == "name" else ""
    keyword = clause.keyword_span
    if keyword is not None and keyword.start <= offset < keyword.end and clause.keyword:
        return keyword_text(spec, clause.keyword)
    starts = [item.span.start for item in clause.items] + [arg.span.start for arg in clause.args]
    first = min(starts, default=clause.span.end)
    is_word = word in spec.keywords or word in spec.modifiers
    if is_word and (offset < first or spec.shape == "keyword" or clause.name in words.AFTER_LIST):
        return keyword_text(spec, word)
    return None
