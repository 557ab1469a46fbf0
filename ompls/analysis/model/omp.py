"""OpenMP directives and clauses as the model holds them.  What is *allowed* is data in `analysis/spec/`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ompls.analysis.model.ast import Expr, Member, Name, Span, Symbol

_MAPPER = re.compile(r"\s*(?:([A-Za-z_]\w*)\s*:)?\s*(.*?)\s*\b([A-Za-z_]\w*)\s*$", re.S)
_BY_MAPPER = re.compile(r"mapper\s*\(\s*(\w+)\s*\)\s*$")


@dataclass(slots=True, eq=False)
class ListItem:
    """One list item of a clause: a variable, an array section, a structure member."""

    span: Span
    expr: Expr  # Name, Index, Section, Member, Unary('*'), Shaping; OtherExpr when not understood
    symbol: Symbol | None  # the variable at its base
    text: str  # as written after macro expansion, blanks normalised


@dataclass(slots=True, eq=False)
class Clause:
    """`name(modifiers: items|args)`.

    items  -- for clauses that take a list (map, private, reduction, to, from, …)
    args   -- for clauses that take expressions (if, device, num_teams, collapse, schedule's chunk, …)
    keyword -- the word that selects the variant: map type of `map` ('' when absent: tofrom), reduction identifier
               ('+', 'max', a user name), schedule kind, default/defaultmap kind, depend type,
               `if`'s directive-name modifier
    modifiers -- further modifiers in order (always, present, close, mapper(x), iterator(…), task, nonmonotonic, …)
    """

    name: str
    span: Span
    name_span: Span
    keyword: str = ""
    keyword_span: Span | None = None
    modifiers: tuple[str, ...] = ()
    items: tuple[ListItem, ...] = ()
    args: tuple[Expr, ...] = ()
    within: tuple[Expr, ...] = ()  # in what is kept as text: the ranges of iterators, an initializer
    text: str = ""  # between the parentheses, macro-expanded; "" without parentheses
    known: bool = True  # False: no OpenMP clause of that name
    broken: str = ""  # why the arguments could not be parsed
    extensions: tuple[tuple[str, Span], ...] = ()  # the modifiers that are an implementation's own, and where they are


@dataclass(frozen=True, slots=True)
class Trait:
    """One trait of a context selector, `set={name(words)}` (OpenMP 5.2 §7.1): user={condition(n > 4)}.

    text  -- between its parentheses, without a score
    value -- a condition's value when it is a constant
    score -- what `score(n):` adds
    """

    set: str
    name: str
    words: tuple[str, ...]
    text: str
    value: int | None = None
    score: int = 0


@dataclass(frozen=True, slots=True)
class Variant:
    """A directive that a metadirective may stand for; `traits` is empty for that of `otherwise`."""

    traits: tuple[Trait, ...]
    directive: Directive


@dataclass(slots=True, eq=False)
class Directive:
    """One directive.  `name` is canonical: one blank between words, 6.0's underscores as blanks ('target enter data').

    `constructs` are the leaf constructs of a combined or composite directive:
    ('target', 'teams', 'distribute', 'parallel', 'for'); of any other directive it is (name,).

    meta -- the metadirective that this one takes the place of (`span` is its span)
    decided -- False: another variant of the metadirective may apply
    within -- the expressions in an argument that is kept as text: the combiner of `declare reduction`
    undeclared -- between external declarations: the names in its expressions that no declaration before it declares
    unknown_members -- the same, of members
    underscored -- the name as it is written, where it has 6.0's underscores
    variants -- of a metadirective that was understood: all that it may stand for, `otherwise` last
    """

    name: str
    constructs: tuple[str, ...]
    span: Span  # from `#`/`_Pragma` to the end of its text
    name_span: Span
    clauses: tuple[Clause, ...]
    args: tuple[ListItem, ...] = ()  # `flush(list)`, `critical(name)`, `declare target(list)`, …
    known: bool = True
    meta: Directive | None = None
    decided: bool = True
    variants: tuple[Variant, ...] = ()
    within: tuple[Expr, ...] = ()
    undeclared: tuple[Name, ...] = ()
    unknown_members: tuple[Member, ...] = ()
    underscored: str = ""

    def clause(self, *names: str) -> Clause | None:
        """The first clause with one of these names."""
        for c in self.clauses:  # asked too often for a generator
            if c.name in names:
                return c
        return None

    def all(self, *names: str) -> list[Clause]:
        return [c for c in self.clauses if c.name in names]

    def has(self, construct: str) -> bool:
        """Whether `construct` is one of the leaf constructs."""
        return construct in self.constructs


class DeclaredMapper(NamedTuple):
    """`declare mapper(name: type variable)`, as it is written; without a name it is the `default` one of the type."""

    name: str
    type: str
    variable: str


def declared_mapper(directive: Directive) -> DeclaredMapper | None:
    """None also for one that is not understood."""
    argument = directive.args[0].text if directive.name == "declare mapper" and len(directive.args) == 1 else ""
    match = _MAPPER.match(argument)
    return DeclaredMapper(match[1] or "default", match[2], match[3]) if match is not None else None


def mapper_variable(directive: Directive) -> Symbol | None:
    """The variable of a `declare mapper`, with its type; None where no list item names it."""
    mapper = declared_mapper(directive)
    names = (n for c in directive.all("map") for i in c.items for n in i.expr.walk() if isinstance(n, Name))
    return next((n.symbol for n in names if mapper is not None and n.name == mapper.variable and n.symbol), None)


def mapper_named(modifiers: Iterable[str]) -> str:
    """The name in the modifier `mapper(name)`; '' without one."""
    return next((match[1] for match in map(_BY_MAPPER.match, modifiers) if match is not None), "")


def declare_target_list(directive: Directive) -> list[tuple[Literal["enter", "link"], ListItem]]:
    """('enter' or 'link', item) for each name that a `declare target` directive lists."""
    listed: list[tuple[Literal["enter", "link"], ListItem]] = [("enter", i) for i in directive.args]
    for clause in directive.all("to", "enter", "link", "local"):
        listed += [("link" if clause.name == "link" else "enter", i) for i in clause.items]
    return listed
