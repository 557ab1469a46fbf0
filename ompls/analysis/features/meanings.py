"""What a word of a pragma means: directives, clauses, their keywords and modifiers; since when, where it is specified.

Lexical, so that it is there in inactive branches, in unfinished text, in `_Pragma("omp …")` and in attributes.
"""

from __future__ import annotations

from ompls.analysis.features import words
from ompls.analysis.features.operators import directive_around
from ompls.analysis.features.pragmas import in_comment
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.spec import CLAUSES, DIRECTIVES, ClauseSpec, is_extension
from ompls.analysis.spec.versions import WORD_OF
from ompls.analysis.syntax.clause_expr import tokenize
from ompls.analysis.syntax.pragma import parse_directive

_DEFAULT = (
    "**default**: the directive when no context matches; `otherwise` since OpenMP 5.2\n\nSince OpenMP 5.0; §7.4.2."
)


def word_text(source: bytes, offset: int, version: str) -> str | None:
    """Markdown about OpenMP's word at byte `offset`; None where there is none (a variable, for one).

    version -- what it lists is what that one has, and no implementation's own
    """
    found = directive_around(source, offset)
    if found is None:
        return None
    source, pragma = found
    if in_comment(source[pragma.start : offset]):
        return None
    directive = parse_directive(source[pragma.start : pragma.line_end], pragma.start)
    if directive.name_span.start <= offset < directive.name_span.end:
        return directive_text(directive.name, version)
    for clause in directive.clauses:
        if clause.name_span.start <= offset < clause.name_span.end:
            if clause.name == "default" and directive.name.endswith("metadirective"):
                return _DEFAULT
            return clause_text(clause.name, version, directive)
        if clause.span.start <= offset < clause.span.end:
            return _inside(source, clause, offset)
    return None


def directive_text(name: str, version: str) -> str | None:
    """What a directive does, since when, where it is specified."""
    spec = DIRECTIVES.get(name)
    if spec is None:
        return None
    until = f", until {spec.until}" if spec.until else ""
    later = max(version, spec.since)  # nothing would be left of one that is newer
    known = (c for c in spec.clauses if words.since(c, spec.constructs) <= later and not is_extension(c))
    clauses = ", ".join(f"`{c}`" for c in known) or "none"
    since = f"Since OpenMP {spec.since}{until}; §{spec.section}.{_newer(spec.since, version)}"
    return f"**{spec.name}**: {spec.summary}\n\n{since}\n\nClauses: {clauses}"


def clause_text(name: str, version: str, on: Directive) -> str | None:
    """What a clause does, since when, where it is specified, and which words it takes on that directive."""
    spec = CLAUSES.get(name)
    if spec is None:
        return None
    since = f"Since OpenMP {spec.since}; §{spec.section}.{_newer(spec.since, version)}"
    parts = [f"**{spec.name}**: {spec.summary}", since]
    later = max(version, spec.since)
    return "\n\n".join([*parts, *words.choices(spec, on, later)])


def _newer(since: str, version: str) -> str:
    return f" That is newer than the {version} that is set." if since > version else ""


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
