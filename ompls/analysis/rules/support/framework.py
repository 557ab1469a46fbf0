"""What a rule is, what it gets to see, and what it gives back.

A rule looks at one external declaration (`Scene`) at a time and answers with `Finding`s whose spans count from the
declaration's start, so that the answers are kept with the declaration and moved with it.
"""

from __future__ import annotations

import functools
import itertools
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ompls.analysis.diagnostic import Severity
from ompls.analysis.model.ast import FunctionDef, Span, Symbol
from ompls.analysis.model.datamodel import LP64, DataModel
from ompls.analysis.model.items import Group as ItemGroup
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import TU, Content
from ompls.analysis.rulenames import Group
from ompls.analysis.rules.support.changes import Changes, Mark
from ompls.analysis.rules.support.told import Told, told_by
from ompls.analysis.source import Budget, Settings

Quotes = tuple[tuple[str, Span], ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A quick fix: replace the text of `span` (empty: insert).

    quotes -- parts of `title` and `text` that repeat what stands at another place: as it is written there, in the end
    behind -- the file's own variable whose declaration a line with the text is inserted behind; `span` counts for nothing
    home -- the external declaration of the same file that `span` and `quotes` count in; None: the finding's own
    """

    title: str
    span: Span
    text: str
    safe: bool = True
    quotes: Quotes = ()
    behind: str = ""
    home: Content | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a rule found.  `related` are further places with what is to be seen there.

    home -- the external declaration that the spans count in; None: the one the rule looked at
    elsewhere -- further places in other declarations
    """

    span: Span
    message: str
    severity: Severity
    related: tuple[tuple[Span, str], ...] = ()
    changes: tuple[Change, ...] = ()
    home: Content | None = None
    elsewhere: tuple[tuple[Content, Span, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Unit:
    """What a rule may know of the rest of the translation unit.

    functions -- the definitions by name
    headers_known -- see `complete_headers`, by which rules ask for it
    asked_headers -- whether one did: what was said without asking stays when the answer is another one
    told -- what the file says to all of its declarations
    """

    functions: dict[str, Content]
    symbols: Mapping[str, Symbol]
    settings: Settings
    headers_known: bool
    told: Told
    model: DataModel = LP64  # of the host
    summaries: dict[str, Any] = field(default_factory=dict)  # of callees, kept by the analysis that makes them
    contents: tuple[Content, ...] = ()  # of all external declarations
    groups: tuple[ItemGroup, ...] = ()  # the same, in parts that are shared between the versions of a text
    callers: dict[str, tuple[Content, ...]] = field(default_factory=dict)  # by callee; made by `callers.py`
    budget: Budget | None = None  # polled by what takes long
    unfinished: set[str] = field(default_factory=set)  # what there was no time for
    answers: dict[str, object] = field(default_factory=dict)  # see `kept.py`
    asked_headers: set[bool] = field(default_factory=set)
    late_requires: frozenset[Directive] = frozenset()  # `requires` after a device construct; nothing of these is kept
    directives: tuple[Directive, ...] = ()  # between the external declarations
    noticed: dict[str, Any] = field(default_factory=dict)  # what the abstract machine noticed, by function
    mark: Mark | None = None  # of this version of the text

    def same_since(self, mark: Mark | None, names: frozenset[str]) -> bool:
        """Whether these names certainly mean what they did in the version of `mark`."""
        at = self.mark
        if mark is None or at is None or mark.changes is not at.changes or not mark.version <= at.version:
            return False
        changed = at.changes.since(mark.version) if at.changes.version == at.version else None
        return changed is not None and changed.isdisjoint(names)

    @property
    def complete_headers(self) -> bool:
        """False when an include is missing or was not looked for yet: an unknown name may come from it; also when the
        analysis did not get to the end of the text."""
        self.asked_headers.add(self.headers_known)
        return self.headers_known

    def headers_told(self, asked: frozenset[bool]) -> bool:
        """Whether what was said after `asked_headers` was `asked` would be said again."""
        return not asked or asked == {self.headers_known}

    def late(self) -> bool:
        """Whether there is no time left."""
        return self.budget is not None and self.budget.expired()


@dataclass(frozen=True, slots=True)
class Scene:
    """One external declaration, or one directive between them, with the unit around it."""

    unit: Unit
    content: Content | None
    directives: tuple[Directive, ...]

    @property
    def function(self) -> FunctionDef | None:
        node = self.content.node if self.content is not None else None
        return node if isinstance(node, FunctionDef) else None


Question = Callable[[Unit], frozenset[str]]
QUESTIONS: list[Question] = []


def of_whole(question: Question) -> Question:
    """A question about the whole file that rules may ask: what is kept of any declaration holds as long as the answer is
    the same.  It is asked once for a version."""
    key = f"{question.__module__}.{question.__name__}"

    @functools.wraps(question)
    def answered(unit: Unit) -> frozenset[str]:
        if key not in unit.summaries:
            unit.summaries[key] = question(unit)
        known: frozenset[str] = unit.summaries[key]
        return known

    QUESTIONS.append(answered)
    return answered


Needs = Literal["text", "names", "meaning"]
# Directives (also between declarations), target regions, what the abstract machine noticed (`noticed.py`), races
# (`races/`), accesses that nothing orders (`ordering/`).
About = Literal["", "directives", "regions", "events", "races", "clashes"]


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One diagnostic.  `bad` and `good` are its tests and its manual page.

    severity -- the strongest it may have
    section -- of the OpenMP specification (5.2)
    bad, good -- C texts; a line `//  ^^^^ severity: message` draws a finding under the line above it
    needs -- 'text': looks at words only, so taint does not weaken it; 'names': at what is declared, so that a declaration
             elsewhere that was not understood does
    group -- what it belongs to; settings and comments may name a group instead of a rule
    about -- what it goes through: a declaration without any of it is not shown to it; '': it sees them all
    """

    id: str
    severity: Severity
    title: str
    why: str
    section: str
    bad: tuple[str, ...]
    good: tuple[str, ...]
    check: Callable[[Scene], Iterator[Finding]]
    needs: Needs = "meaning"
    group: Group = "structure"
    about: About = ""


def said_elsewhere(scene: Scene) -> Iterator[Finding]:
    """The check of a rule whose findings come to `report` from elsewhere: from the front end, or from the translator."""
    yield from ()


def unit_of(tu: TU, budget: Budget | None = None) -> Unit:
    variants, inside = _variants(tu)
    functions: dict[str, Content] = {}
    for _, group in tu.items.groups:
        functions.update(group.functions)
    if inside:
        functions = {
            item.content.node.symbol.name: item.content
            for item in tu.items
            if isinstance(item.content.node, FunctionDef) and item.start not in inside
        }
    groups = tuple([group for _, group in tu.items.groups])
    headers = tu.complete and tu.headers_known and not any(note.hides for note in tu.notes)
    contents = tuple(itertools.chain.from_iterable([group.contents for group in groups]))
    return Unit(
        functions,
        tu.symbols,
        tu.settings,
        headers,
        told_by(tu, contents, variants),
        tu.model,
        contents=contents,
        budget=budget,
        groups=groups,
        late_requires=_late(tu),
        directives=tuple([d.directive for d in tu.directives]),
        mark=_marked(tu, groups, None if inside else tu.symbols.headers),
    )


def _marked(tu: TU, groups: tuple[ItemGroup, ...], around: object) -> Mark:
    changes: Changes = tu.kept.setdefault("changes", Changes())
    changes.step(groups, around)
    return Mark(changes, changes.version)


# What `requires` may say only before the first device construct (5.2 §8.2).
_BEFORE_DEVICES = ("reverse_offload", "unified_address", "unified_shared_memory", "self_maps")


def _late(tu: TU) -> frozenset[Directive]:
    asked = [
        d for d in tu.directives if d.directive.name == "requires" and d.directive.clause(*_BEFORE_DEVICES) is not None
    ]
    if not asked:
        return frozenset()
    first = next((item.start for item in tu.items if _has_target(item.content)), len(tu.expanded))
    return frozenset([d.directive for d in asked if first < d.start])


def _has_target(content: Content) -> bool:
    return any("target" in s.directive.name.split() for s in content.directives)


def _variants(tu: TU) -> tuple[frozenset[str], frozenset[int]]:
    """The functions that have variants, and the starts of the items that are variants (`begin declare variant`)."""
    places = [d for d in tu.directives if d.directive.name.endswith("declare variant")]
    if not places:
        return frozenset(), frozenset()
    names: set[str] = set()
    inside = {item.start for item in tu.begun_variants()}
    ends, last = [d.end for d in places], -1
    for item in tu.items:
        before = bisect_right(ends, item.start)
        next_to = before > 0 and last < ends[before - 1]  # no other item stands between them
        last = item.start
        if item.start in inside or (next_to and places[before - 1].directive.name == "declare variant"):
            node = item.content.node
            names |= (
                {node.symbol.name}
                if isinstance(node, FunctionDef)
                else {d.symbol.name for d in getattr(node, "decls", ())}
            )
    return frozenset(names), frozenset(inside)
