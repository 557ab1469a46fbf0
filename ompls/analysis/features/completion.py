"""Completion in pragmas: directives that may stand here, clauses that may be added, what belongs between parentheses.

All that fits is given at once; what was typed of the word so far filters it in the editor.  Names of the C program
outside of pragmas are other servers' work.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal

from ompls.analysis.encoding import decoded
from ompls.analysis.features import particular, words
from ompls.analysis.features.cursor import Cursor, cursor_at
from ompls.analysis.features.listitems import Names, Proposal
from ompls.analysis.features.placement import outdated, placed
from ompls.analysis.features.routines import ROUTINES
from ompls.analysis.features.scopes import enclosing, expanded_offset, in_function, in_unclosed, item_at
from ompls.analysis.features.usual import OUTDATED, clause_rank, directive_rank
from ompls.analysis.model.tu import TU
from ompls.analysis.spec import CLAUSES, ClauseSpec, DirectiveSpec, clauses_of
from ompls.analysis.spec.clause_sets import NEEDS, REQUIRED

Kind = Literal["directive", "clause", "keyword", "variable", "function", "constant", "member"]
_SENTINEL = re.compile(rb"[ \t]*(?:#|%:)[ \t]*pragma[ \t]+(o?m?p?)\Z")

_PREFIX = 20  # rank of what may stand before a colon or comma, and seldom does: behind the names of the program


@dataclass(frozen=True, slots=True)
class Completion:
    """One proposal.  `insert` replaces bytes [start, end) of the source; the cursor goes to byte `cursor` of it
    (-1: to its end).  `rank` sorts: smaller first, then as they were found."""

    label: str
    kind: Kind
    insert: str
    start: int
    end: int
    cursor: int = -1
    detail: str = ""
    documentation: str = ""
    rank: int = 0
    deprecated: bool = False


def completions(tu: TU, offset: int) -> list[Completion]:
    """What may stand at byte `offset` of the main file, the most likely first; nothing outside of pragmas."""
    sentinel = _SENTINEL.match(tu.source, tu.source.rfind(b"\n", 0, offset) + 1, offset)
    if sentinel is not None:
        return [Completion("omp", "keyword", "omp ", sentinel.start(1), offset, detail="OpenMP")]
    cursor = cursor_at(tu.source, offset)
    if cursor is None:
        return []
    found = _in_parentheses(tu, cursor) if cursor.owner else [*_directives(tu, cursor), *_clauses(tu, cursor)]
    typed = decoded(tu.source[slice(*cursor.word)])
    found.sort(key=attrgetter("rank"))
    # Who has typed a word in full means that.
    return [*[c for c in found if c.label == typed], *[c for c in found if c.label != typed]]


def finished(tu: TU, offset: int) -> bool:
    """Whether the pragma may end at byte `offset`, behind a blank: then nobody waits for a list that Enter accepts."""
    cursor = cursor_at(tu.source, offset)
    if cursor is None or cursor.owner or cursor.word[0] < offset or not cursor.before.known:
        return False
    directive = cursor.before
    given = {clause.name for clause in directive.clauses}
    needed = [REQUIRED.get(directive.name, ()), *((c,) for d, has, c in NEEDS if d == directive.name and has in given)]
    if directive.name == "requires" and not given:
        return False
    return given <= set(clauses_of(directive.name)) and all(not given.isdisjoint(n) for n in needed if n)


# --- directives


def _directives(tu: TU, cursor: Cursor) -> list[Completion]:
    """What may follow the words so far to make a directive's name."""
    if not cursor.only_words:
        return []
    typed = " ".join(cursor.words)
    start, end = cursor.word
    underscores = b"_" in tu.source[start:end] or "_" in typed
    typed = typed.replace("_", " ")
    version = tu.settings.openmp
    found = []
    for spec in _placed(tu, cursor):
        if typed and not spec.name.startswith(typed + " "):
            continue
        rest = spec.name[len(typed) :].strip()
        old = outdated(spec, version)
        text = rest.replace(" ", "_") if underscores and len(spec.constructs) == 1 else rest
        rank = OUTDATED if old else directive_rank(spec.name)
        detail = f"OpenMP {spec.since}, §{spec.section}"
        found.append(Completion(text, "directive", text, start, end, -1, detail, spec.summary, rank, old))
    return found


def _placed(tu: TU, cursor: Cursor) -> list[DirectiveSpec]:
    x = expanded_offset(tu, cursor.pragma.place)
    item = item_at(tu, x)
    inside = in_function(tu, x) or in_unclosed(tu, x)
    around = [s.directive.constructs for s in enclosing(item, x)]
    return placed(tu.settings.openmp, around, inside)


# --- clauses


def _clauses(tu: TU, cursor: Cursor) -> list[Completion]:
    directive = cursor.before
    if not directive.known:
        return []
    version = tu.settings.openmp
    start, end = cursor.word
    given = {c.name for c in directive.clauses}
    given |= {c.name for c in cursor.whole.clauses if c.name_span.start >= end}
    found = []
    for name in clauses_of(directive.name):
        spec = CLAUSES[name]
        since = words.since(name, directive.constructs)
        if since > version or words.excluded(name, given, directive):
            continue
        bare = cursor.following == "(" or spec.optional
        insert = name if bare else f"{name}()"
        detail = f"OpenMP {since}, §{spec.section}"
        at = -1 if bare else len(insert) - 1
        found.append(Completion(name, "clause", insert, start, end, at, detail, spec.summary, clause_rank(name)))
    return found


# --- between parentheses


def _in_parentheses(tu: TU, cursor: Cursor) -> list[Completion]:
    names = Names(tu, cursor)
    only = particular.alone(tu, cursor, names)
    if only is not None:
        return [_particular(cursor, word) for word in only]
    return [*_of_clause(tu, cursor, names), *(_particular(cursor, word) for word in particular.besides(tu, cursor))]


def _of_clause(tu: TU, cursor: Cursor, names: Names) -> list[Completion]:
    if cursor.in_arguments:
        return _arguments(cursor, names)
    spec = CLAUSES.get(cursor.owner)
    if spec is None:
        return []
    if cursor.owner in ("when", "match"):
        return _selector(tu, cursor, names)
    if cursor.nested:
        return _nested(tu, cursor, names)
    if spec.shape == "raw" or cursor.before.name.endswith("metadirective"):
        return []
    found = _before_colon(tu, cursor, spec) if not cursor.colons() else _after_colon(tu, cursor, spec)
    if spec.shape == "list" and (cursor.colons() or words.prefix_optional(cursor.owner)):
        found += [_name(cursor, proposal) for proposal in names.list_items(cursor.owner)]
    elif spec.shape in ("expr", "exprs") or (spec.shape == "keyword" and cursor.commas()):
        found += _values(tu, cursor, names)
    return found


def _values(tu: TU, cursor: Cursor, names: Names) -> list[Completion]:
    """What an expression is made of: names of the program, and OpenMP's routines."""
    if cursor.owner in words.CONSTANT:
        return _constants(cursor, names)
    found = [_name(cursor, proposal) for proposal in names.values()]
    start, end = cursor.word
    for name, declaration, since in ROUTINES:
        if since <= tu.settings.openmp:
            insert = name if cursor.following == "(" else f"{name}()"
            at = len(name) + 1 if "(void)" not in declaration and insert != name else -1
            found.append(
                Completion(name, "function", insert, start, end, at, declaration, f"Since OpenMP {since}.", 15)
            )
    return found


def _constants(cursor: Cursor, names: Names) -> list[Completion]:
    """Of `collapse` also how many loops there are."""
    found = [_name(cursor, proposal) for proposal in names.constants()]
    if cursor.owner == "collapse" and not cursor.inner:
        loops = (str(n) for n in range(2, names.depth() + 1))
        found += [_keyword(cursor, count, count, "loops of the nest") for count in loops]
    return found


def _arguments(cursor: Cursor, names: Names) -> list[Completion]:
    if cursor.nested or cursor.before.name not in words.LISTING_DIRECTIVES:
        return []
    clause = words.LISTING_DIRECTIVES[cursor.before.name]
    return [_name(cursor, proposal) for proposal in names.list_items(clause)]


def _nested(tu: TU, cursor: Cursor, names: Names) -> list[Completion]:
    """In brackets inside of a clause: an expression, or a modifier's own argument."""
    bracket, before = cursor.nested[-1]
    if bracket == "(" and before in ("iterator", "traits", "memspace"):
        return []
    if bracket == "(" and before == "mapper":
        default = _keyword(cursor, "default", "default", "the mapper that is used without naming one")
        named = [word for word in words.declared(tu, "declare mapper") if word != "default"]
        return [default, *(_keyword(cursor, word, word, "a declared mapper") for word in named)]
    return _values(tu, cursor, names)


def _selector(tu: TU, cursor: Cursor, names: Names) -> list[Completion]:
    """In a context selector, `set={trait(words)}`."""
    open_in: list[str] = []  # the set, and the trait, whose brackets are open
    for at, token in enumerate(cursor.inner):
        if token.text in ("{", "("):
            name = at - 2 if token.text == "{" else at - 1
            open_in.append(cursor.inner[name].text if name >= 0 else "")
        elif token.text in ("}", ")") and open_in:
            open_in.pop()
    if not open_in:
        return [_shaped(cursor, name, "={}", "a set of traits") for name in words.TRAITS]
    if len(open_in) == 1:
        shape = "" if open_in[0] == "construct" else "()"
        return [_shaped(cursor, name, shape, "a trait") for name in words.TRAITS.get(open_in[0], ())]
    if open_in[1] in ("condition", "device_num"):
        return _values(tu, cursor, names)
    return [_keyword(cursor, word, word, "a trait's property") for word in words.TRAIT_WORDS.get(open_in[1], ())]


def _shaped(cursor: Cursor, name: str, shape: str, what: str) -> Completion:
    """A name with brackets behind it; the cursor goes into them."""
    start, end = cursor.word
    insert = name if cursor.following in ("=", "(") else name + shape
    return Completion(name, "keyword", insert, start, end, len(insert) - 1 if insert != name else -1, "", what, 0)


def _before_colon(tu: TU, cursor: Cursor, spec: ClauseSpec) -> list[Completion]:
    """Modifiers and keywords, and the colon or comma that follows them."""
    name, version, given = spec.name, tu.settings.openmp, set(cursor.given())
    if name in words.AFTER_LIST or (spec.shape == "keyword" and cursor.commas()):
        return []
    found = []
    for word in words.keywords(spec, cursor.before, version):
        if word in given:
            continue
        colon = words.keyword_takes_colon(name) and cursor.following != ":"
        rank = _PREFIX if spec.shape == "expr" else 0
        found.append(_keyword(cursor, word, word + (": " if colon else ""), words.meaning(name, word), rank))
    if name in words.COLON_MODIFIERS or name in words.COMMA_MODIFIERS:
        for word in words.modifiers(spec, version):
            if word not in given:
                found.append(_modifier(cursor, name, word))
    if name == "if":
        for part in dict.fromkeys(cursor.before.constructs):
            found.append(_keyword(cursor, part, f"{part}: ", f"the condition is for `{part}`", _PREFIX))
    if name in words.REDUCTIONS:
        for declared in words.declared(tu, "declare reduction"):
            found.append(_keyword(cursor, declared, f"{declared}: ", "a declared reduction", 1))
    return found


def _after_colon(tu: TU, cursor: Cursor, spec: ClauseSpec) -> list[Completion]:
    if spec.name in ("defaultmap", "default"):
        if spec.name == "default" and tu.settings.openmp < "6.0":
            return []
        return [_keyword(cursor, w, w, "variables of this category") for w in words.categories(tu.settings.openmp)]
    if spec.shape == "keyword" and not cursor.commas():
        return [_keyword(cursor, w, w, spec.summary) for w in words.keywords(spec, cursor.before, tu.settings.openmp)]
    if spec.name in words.AFTER_LIST:
        found = words.modifiers(spec, tu.settings.openmp)
        return [_keyword(cursor, w, f"{w}()" if w == "step" else w, "how the value moves") for w in found]
    return []


def _modifier(cursor: Cursor, clause: str, word: str) -> Completion:
    separator = ", " if clause in words.COMMA_MODIFIERS or word == "prefer_type" else ": "
    if cursor.following in (":", ","):
        separator = ""
    text = f"{word}()" if word in words.WITH_ARGUMENT else word
    at = len(text) - 1 if word in words.WITH_ARGUMENT else -1
    what = words.meaning(clause, word)
    return Completion(word, "keyword", text + separator, *cursor.word, at, "modifier", what, _PREFIX)


def _keyword(cursor: Cursor, label: str, insert: str, what: str, rank: int = 0) -> Completion:
    start, end = cursor.word
    at = len(insert) - 1 if insert.endswith("()") else -1
    return Completion(label, "keyword", insert, start, end, at, "", what, rank)


def _particular(cursor: Cursor, word: particular.Word) -> Completion:
    start, end = cursor.word
    return Completion(word.text, word.kind, word.text, start, end, -1, word.detail, word.what, word.rank)


def _name(cursor: Cursor, name: Proposal) -> Completion:
    start, end = cursor.word
    return Completion(name.text, name.kind, name.text, start, end, name.cursor, name.detail, "", 10 + name.rank)
