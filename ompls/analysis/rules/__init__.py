"""The diagnostics: one file a rule, found by listing this package; `report` runs them, `manual` prints their pages."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterable, Iterator, Mapping, ValuesView
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from ompls.analysis.diagnostic import Diagnostic, Edit, Fix, Related, Severity
from ompls.analysis.encoding import decoded
from ompls.analysis.model.tu import TU, Content, FileDirective, Item
from ompls.analysis.patterns import later
from ompls.analysis.rulenames import GROUPS, is_name, modules, near_ids, rule_ids
from ompls.analysis.rules.support.callers import callers_above
from ompls.analysis.rules.support.framework import QUESTIONS, Change, Finding, Rule, Scene, Unit, unit_of
from ompls.analysis.rules.support.kept import asked_of, at_end, findings_of, names_called
from ompls.analysis.rules.support.matter import interested
from ompls.analysis.rules.support.noticed import noticed
from ompls.analysis.rules.support.placed import placed
from ompls.analysis.rules.support.told import Told
from ompls.analysis.rules.support.written import as_written, home_of, spelled
from ompls.analysis.source import Budget, Location, Settings
from ompls.analysis.spec.devices import DeviceSpec
from ompls.analysis.suppression import Suppression, silenced, suppressions

__all__ = [
    "GROUPS",
    "RULES",
    "Report",
    "Rule",
    "asked_for",
    "check",
    "is_asked_for",
    "is_name",
    "manual",
    "members",
    "near_ids",
    "report",
]

_RANK = {"hint": 1, "warning": 2, "error": 3}
# What every answer depends on: the rules asked, and what the unit says to all of its declarations.
_Around = tuple[tuple[Rule, ...], Settings, Told, tuple[frozenset[str], ...]]
_CONTINUED = later(r"\\\r?\n")
_REST = later(rb"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*\*/[ \t]*)?(?=(\r?\n))")  # of a line without more code
_POLL = 8  # rules between two looks at the clock
_LAST = "unused-suppression"  # speaks when all others have


class _Rules(Mapping[str, Rule]):
    """By id.  One is imported when it is asked for, and all when somebody looks at all: that is a seventh of the time in
    which a command that translates starts, and it asks for four."""

    def __getitem__(self, rule_id: str) -> Rule:
        return _rule(rule_id)

    def __contains__(self, rule_id: object) -> bool:
        return rule_id in rule_ids()

    def __iter__(self) -> Iterator[str]:
        return (module.replace("_", "-") for module in modules())

    def __len__(self) -> int:
        return len(modules())

    def values(self) -> ValuesView[Rule]:
        return _all().values()


@cache
def _rule(rule_id: str) -> Rule:
    if rule_id not in rule_ids():
        raise KeyError(rule_id)
    module = rule_id.replace("-", "_")
    rule: Rule = importlib.import_module(f"{__name__}.{module}").RULE
    if rule.id != rule_id:
        raise ImportError(f"the rule '{rule.id}' must stand in {rule.id.replace('-', '_')}.py, not in {module}.py")
    return rule


@cache
def _all() -> dict[str, Rule]:
    return {rule_id: _rule(rule_id) for rule_id in RULES}


RULES: Mapping[str, Rule] = _Rules()


@dataclass(frozen=True, slots=True)
class Report:
    """What there is to say about a unit, in the order of the places; `suppressed`: what comments silence.

    complete -- False: there was no time for the rules that look at meanings, everywhere
    """

    diagnostics: list[Diagnostic]
    suppressed: list[Diagnostic]
    complete: bool = True


def check(tu: TU) -> list[Diagnostic]:
    """What the selected rules say about `tu`, in the order of the places, without what a comment ignores."""
    return report(tu).diagnostics


def report(
    tu: TU, noted: Iterable[Diagnostic] = (), budget: Budget | None = None, only: Collection[str] = ()
) -> Report:
    """As `check`, with what is silenced; `noted` is what the front end and the translator have to say.  When `budget` runs out, only rules that look at words go on.

    only -- the ids of the rules that are asked, whatever is selected; (): those that are

    Findings are kept with each declaration; only a declaration that changed, or that calls one that did, is looked at
    again.
    """
    wanted = frozenset(only) or asked_for(tu.settings)
    marks = suppressions(tu.source)
    asked = wanted if _LAST not in wanted else wanted.union(*(members(mark.name) for mark in marks))
    kept: dict[Diagnostic, None] = {}  # a header's declaration that stands twice is reported once
    silent: dict[Diagnostic, None] = {}
    used: set[Suppression] = set()
    texts = {path: text for path, text in tu.headers.values() if b"ompls:" in text}
    if marks:
        texts[tu.path] = tu.source
    unit = unit_of(tu, budget)
    for diagnostic in (*_spoken(tu, unit, _rules(asked)), *noted):
        by = _silencers(texts, diagnostic) if texts else ()
        used.update(by)
        if diagnostic.rule in wanted:
            (silent if by else kept)[diagnostic] = None
    if _LAST in wanted and marks:
        module = importlib.import_module(f"{__name__}.{_LAST.replace('-', '_')}")
        for diagnostic in module.unused(tu, marks, used, lambda name: None if is_name(name) else near_ids(name)):
            (silent if _silencers(texts, diagnostic) else kept)[diagnostic] = None
    return Report(_ordered(tu, kept), _ordered(tu, silent), not unit.unfinished)


def members(name: str) -> tuple[str, ...]:
    """The rules that a name stands for in settings and comments: a rule's own, or those of a group; () if unknown."""
    return (name,) if name in RULES else tuple(rule.id for rule in RULES.values() if rule.group == name)


def _silencers(texts: dict[str, bytes], diagnostic: Diagnostic) -> list[Suppression]:
    text = texts.get(diagnostic.where.path)
    if text is None:
        return []
    names = (diagnostic.rule, RULES[diagnostic.rule].group)
    return silenced(suppressions(text), diagnostic.where, names)


def _ordered(tu: TU, found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """In the order of the places, each as severe as the settings say."""
    ordered = sorted(found, key=lambda d: (d.where.path, d.where.start, d.where.end, d.rule))
    if not tu.settings.severity:
        return ordered
    wanted = {rule: severity for name, severity in tu.settings.severity for rule in members(name)}
    return [_as_severe(diagnostic, wanted.get(diagnostic.rule)) for diagnostic in ordered]


def _as_severe(diagnostic: Diagnostic, wanted: str | None) -> Diagnostic:
    """With the severity that the settings give its rule; what the rule itself is less sure of does not get stronger."""
    usual = diagnostic.severity
    if wanted not in _RANK or (usual != RULES[diagnostic.rule].severity and _RANK[usual] <= _RANK[wanted]):
        return diagnostic
    return replace(diagnostic, severity=wanted)  # type: ignore[arg-type]


def _spoken(tu: TU, unit: Unit, rules: tuple[Rule, ...]) -> Iterator[Diagnostic]:
    around: _Around = (rules, unit.settings, unit.told, tuple([ask(unit) for ask in QUESTIONS]))
    if tu.kept.get("around") == around:  # one object: it is compared with what is kept of each group
        around = tu.kept["around"]
    tu.kept["around"] = around
    undecided = _undecided(tu)
    names = tu.declarations_known
    for number, (_, group) in enumerate(tu.items.groups):
        found = findings_of(group, around, unit, lambda content: _findings(around, content, unit))
        if found:
            said = placed(tu, number, found, _diagnostic)
            yield from said if names and not undecided else _less_sure(said, undecided, names=names)
    for directive in tu.directives:
        scene = Scene(unit, None, (directive.directive,))
        for rule in interested(rules, scene):
            for finding in rule.check(scene):
                yield _diagnostic(tu, directive, rule, finding)


def _undecided(tu: TU) -> list[Location]:
    """The declarations of which a part is not known: neither branch of an `#if` in it is read, as a header is missing, or
    a line is too much to expand."""
    starts = [note.start for note in tu.notes if note.kind in ("undecided", "unread")]
    items = {item.start: item for item in map(tu.items.at, starts) if item is not None}
    return [tu.map.location(item.start, item.end) for item in items.values()]


def _less_sure(said: Iterable[Diagnostic], undecided: list[Location], *, names: bool) -> Iterator[Diagnostic]:
    """What is said of a text without one of its parts is a hint, but for what a directive's own words show; so is what is
    said of names where (`names` is False) a declaration may not be known."""
    for diagnostic in said:
        where, needs = diagnostic.where, RULES[diagnostic.rule].needs
        inside = any(u.path == where.path and u.start <= where.start < u.end for u in undecided)
        weak = (inside and needs == "meaning") or (needs == "names" and not names)
        yield replace(diagnostic, severity="hint") if weak else diagnostic


def of_device(tu: TU, device: DeviceSpec, numbers: Iterable[int]) -> Iterator[tuple[Item, Diagnostic]]:
    """What the rules about devices say of this one in these groups of external declarations, where these have target
    regions, whatever is selected or silenced."""
    unit = unit_of(replace(tu, settings=replace(tu.settings, devices=(device,), device_chosen=True)))
    rules = tuple([rule for rule in RULES.values() if rule.group == "device-limits"])
    around = (rules, unit.settings, unit.told, tuple([ask(unit) for ask in QUESTIONS]))

    def findings(content: Content) -> Iterator[tuple[Rule, Finding]]:
        scene = Scene(unit, content, tuple([s.directive for s in content.directives]))
        for rule in interested(rules, scene) if content.regions else ():
            yield from ((rule, finding) for finding in rule.check(scene))

    for number in numbers:
        found = findings_of(tu.items.groups[number][1], around, unit, findings, f" of {device.name}")
        items = tu.items.of(number) if found else []
        yield from ((items[at], _diagnostic(tu, items[at], rule, finding)) for at, rule, finding in found)


def manual(rule_id: str) -> str:
    """The rule's page in Markdown.  Raises KeyError for an unknown id."""
    rule = RULES[rule_id]
    parts = [
        f"# {rule.id}\n\n{rule.title}\n",
        f"*Severity:* {rule.severity}. *Group:* {rule.group}."
        + (f" *OpenMP 5.2:* section {rule.section}.\n" if rule.section != "none" else "\n"),
        rule.why.strip() + "\n",
    ]
    for heading, examples in (("Reported", rule.bad), ("Not reported", rule.good)):
        parts.append(f"## {heading}\n")
        parts += [f"```c\n{example.strip(chr(10))}\n```\n" for example in examples]
    parts.append(f"Silence one with a comment on its line or the line before: `// ompls: ignore[{rule.id}]`.\n")
    return "\n".join(parts)


@lru_cache(8)
def asked_for(settings: Settings) -> frozenset[str]:
    """The rules that these settings ask for."""
    return frozenset(rule.id for rule in RULES.values() if _selected(rule, settings))


def is_asked_for(rule_id: str, settings: Settings) -> bool:
    """Whether these settings ask for this one."""
    return _selected(RULES[rule_id], settings)


@lru_cache(8)
def _rules(asked: frozenset[str]) -> tuple[Rule, ...]:
    return tuple([RULES[rule_id] for rule_id in RULES if rule_id in asked])


def _selected(rule: Rule, settings: Settings) -> bool:
    """Without the front end's own, silence about the rest would say nothing: they must be ignored by name."""
    names = (rule.id, rule.group)
    if [severity for name, severity in settings.severity if name in names][-1:] == ["off"]:
        return False
    meant = not settings.select or rule.group == "front-end" or _named(names, settings.select)
    return meant and not _named(names, settings.ignore)


def _named(names: tuple[str, ...], chosen: tuple[str, ...]) -> bool:
    return any(name in chosen for name in names)


def _findings(around: _Around, content: Content, unit: Unit) -> tuple[tuple[Rule, Finding], ...]:
    """What the rules say about one external declaration: what they said before if nothing they look at has changed."""
    chosen = around[0]
    above = callers_above(content, unit)
    callees = _callees((content, *above), unit) if content.calls or content.strangers or above else ()
    key = (around, tuple([caller.serial for caller in above]), callees, noticed(content, unit))
    kept = content.memo.get(__name__)
    if kept is not None and kept[0] == key and unit.headers_told(kept[2]):
        findings: tuple[tuple[Rule, Finding], ...] = kept[1]
        unit.asked_headers.update(kept[2])
        return findings
    if unit.late():
        unit.unfinished.add("rules")
        return _by_words(chosen, content, unit)
    scene = Scene(unit, content, tuple([s.directive for s in content.directives]))
    made: list[tuple[Rule, Finding]] = []
    asked = set(unit.asked_headers)
    unit.asked_headers.clear()
    for number, rule in enumerate(interested(chosen, scene)):
        if not number % _POLL and unit.late():
            unit.unfinished.add("rules")
            return (*made, *(said for said in _by_words(chosen, content, unit) if said not in made))
        for finding in rule.check(scene):
            if rule.needs == "meaning":
                if content.unknown_members and unit.complete_headers:
                    continue  # it is told, and may be the reason
                finding = _beside_typos(_weakened(finding) if content.tainted else finding, content)  # noqa: PLW2901
            made.append((rule, finding))
    findings = tuple(made)
    content.memo[__name__] = (key, findings, asked_of(unit))
    unit.asked_headers.update(asked)
    return findings


def _by_words(chosen: tuple[Rule, ...], content: Content, unit: Unit) -> tuple[tuple[Rule, Finding], ...]:
    """What rules that look at words only say."""
    kept = content.memo.get("by words")
    if kept is None or kept[0] != chosen:
        scene = Scene(unit, content, tuple([s.directive for s in content.directives]))
        rules = [rule for rule in chosen if rule.needs == "text"]
        kept = content.memo["by words"] = (chosen, tuple([(rule, f) for rule in rules for f in rule.check(scene)]))
    found: tuple[tuple[Rule, Finding], ...] = kept[1]
    return found


def _callees(contents: tuple[Content, ...], unit: Unit) -> tuple[object, ...]:
    """What a rule's answer depends on besides the declaration and its known callers: what these call, transitively."""
    seen: dict[str, tuple[object, ...]] = {}
    known: dict[object, tuple[object, ...]] = unit.summaries.setdefault(__name__, {})  # many declarations call the same
    waiting = [name for content in contents for name in names_called(content)]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            called = unit.functions.get(name)
            depends = (name, None if called is None else called.serial, at_end(unit.symbols.get(name)))
            seen[name] = known.setdefault(depends, depends)
            waiting += names_called(called) if called is not None else []
    return tuple(seen.values())


def _beside_typos(finding: Finding, content: Content) -> Finding:
    """Without changes of a directive of which a clause could not be read: it may be the one that they would add."""
    if not finding.changes:
        return finding
    left = [c for c in finding.changes if not _is_beside_typo(c, c.home or finding.home or content)]
    return finding if len(left) == len(finding.changes) else replace(finding, changes=tuple(left))


def _is_beside_typo(change: Change, home: Content) -> bool:
    inside = [s.directive for s in home.directives]
    misread = (d.span for d in inside if any(not c.known or c.broken for c in d.clauses))
    return any(at.start <= change.span.start <= at.end for at in misread)


def _weakened(finding: Finding) -> Finding:
    return replace(finding, severity="hint")


def _diagnostic(tu: TU, place: Item | FileDirective, rule: Rule, finding: Finding) -> Diagnostic:
    if finding.home is not None:
        place = _item_of(tu, finding.home) or place
    finding = as_written(tu, place, finding)
    macros = tu.map.macros(place.start + finding.span.start)
    related = (
        *(Related(tu.locate(place, span), text) for span, text in finding.related),
        *(Related(tu.locate(i, span), text) for c, span, text in finding.elsewhere if (i := _item_of(tu, c))),
        *(Related(where, f"it comes from macro `{name}`") for name, where in reversed(macros)),
    )
    fixes = tuple(fix for change in finding.changes if (fix := _fix(tu, place, change)) is not None)
    severity: Severity = finding.severity
    return Diagnostic(rule.id, severity, finding.message, tu.locate(place, finding.span), related, fixes)


def _item_of(tu: TU, content: Content) -> Item | None:
    return tu.items.holding(content)


def _fix(tu: TU, place: Item | FileDirective, change: Change) -> Fix | None:
    """None when the text to change is a part of what a macro made, or is not of one line: there is nothing to edit at the
    place itself."""
    if change.behind:
        return _behind(tu, change)
    home = home_of(tu, place, change)
    if home is None:
        return None
    start, end = home.start + change.span.start, home.start + change.span.end
    if start == end:  # an insertion belongs to the text before it
        if tu.map.at(start - 1).kind != "verbatim":
            return None
        where = tu.map.location(start - 1, start)
        where = replace(where, start=where.end)
    elif tu.map.at(start) == tu.map.at(end - 1) and tu.map.at(start).kind == "verbatim":
        where = tu.map.location(start, end)
    elif (found := spelled(tu, start, end)) is not None and "\n" not in _CONTINUED.sub("", found[1]):
        where = found[0]
    else:
        return None
    if home is not place and where.path != tu.map.location(place.start, place.start + 1).path:
        return None  # who tries a fix out has one text in his hands
    return Fix(change.title, (Edit(where, change.text),), change.safe)


def _behind(tu: TU, change: Change) -> Fix | None:
    """A line behind the declaration of a variable, which has to be the last on its own line."""
    item = tu.items.declaring(change.behind)
    where = tu.map.location(item.end - 1, item.end) if item is not None else None
    if item is None or where is None or where.path != tu.path or tu.map.at(item.end - 1).kind != "verbatim":
        return None
    rest = _REST.match(tu.source, where.end)
    if rest is None:
        return None
    at = replace(where, start=rest.end(), end=rest.end())
    return Fix(change.title, (Edit(at, f"{decoded(rest[1])}{change.text}"),), change.safe)
