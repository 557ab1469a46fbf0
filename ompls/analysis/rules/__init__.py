"""The diagnostics: one file a rule, found by listing this package; `check` runs them, `manual` prints their pages."""

from __future__ import annotations

import importlib
import pkgutil
import re

from ompls.analysis.diagnostic import Diagnostic, Edit, Fix, Related, Severity
from ompls.analysis.model.tu import TU, Content, FileDirective, Item
from ompls.analysis.rules.support.callers import callers_above
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene, Unit, unit_of
from ompls.analysis.spec.near import near

__all__ = ["RULES", "Rule", "check", "manual", "near_ids"]

_IGNORE = re.compile(rb"ompls:\s*ignore\[([\w\-, ]+)\]")


def _discover() -> dict[str, Rule]:
    rules: dict[str, Rule] = {}
    for module in sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.ispkg):
        rule: Rule = importlib.import_module(f"{__name__}.{module}").RULE
        if rule.id != module.replace("_", "-"):
            raise ImportError(f"the rule '{rule.id}' must stand in {rule.id.replace('-', '_')}.py, not in {module}.py")
        rules[rule.id] = rule
    return rules


RULES: dict[str, Rule] = _discover()


def check(tu: TU) -> list[Diagnostic]:
    """What the selected rules say about `tu`, in the order of the places, without what a comment ignores.

    Findings are kept with each declaration; only a declaration that changed, or that calls one that did, is looked at
    again.
    """
    found: dict[Diagnostic, None] = {}  # a header's declaration that stands twice is reported once
    chosen = tuple([r for r in RULES.values() if _selected(r.id, tu)])
    unit = unit_of(tu)
    for item in tu.items:
        for rule, finding in _findings(chosen, item.content, unit):
            if not _ignored(tu, item, finding, rule.id):
                found[_diagnostic(tu, item, rule, finding)] = None
    for directive in tu.directives:
        scene = Scene(unit, None, (directive.directive,))
        for rule in chosen:
            for finding in rule.check(scene):
                if not _ignored(tu, directive, finding, rule.id):
                    found[_diagnostic(tu, directive, rule, finding)] = None
    return sorted(found, key=lambda d: (d.where.path, d.where.start, d.where.end, d.rule))


def near_ids(rule_id: str) -> list[str]:
    """Rules whose ids are close to an unknown one."""
    return near(rule_id, RULES, 3)


def manual(rule_id: str) -> str:
    """The rule's page in Markdown.  Raises KeyError for an unknown id."""
    rule = RULES[rule_id]
    parts = [
        f"# {rule.id}\n\n{rule.title}\n",
        f"*Severity:* {rule.severity}. *OpenMP 5.2:* section {rule.section}.\n",
        rule.why.strip() + "\n",
    ]
    for heading, examples in (("Reported", rule.bad), ("Not reported", rule.good)):
        parts.append(f"## {heading}\n")
        parts += [f"```c\n{example.strip(chr(10))}\n```\n" for example in examples]
    parts.append(f"Silence one with a comment on its line or the line before: `// ompls: ignore[{rule.id}]`.\n")
    return "\n".join(parts)


def _selected(rule_id: str, tu: TU) -> bool:
    settings = tu.settings
    return (not settings.select or rule_id in settings.select) and rule_id not in settings.ignore


def _findings(chosen: tuple[Rule, ...], content: Content, unit: Unit) -> tuple[tuple[Rule, Finding], ...]:
    """What the rules say about one external declaration: what they said before if nothing they look at has changed."""
    above = callers_above(content, unit)
    callees = _callees((content, *above), unit) if content.calls or above else ()
    key = (chosen, unit.settings, unit.complete_headers, unit.requires, above, callees)
    kept = content.memo.get(__name__)
    if kept is not None and kept[0] == key:
        findings: tuple[tuple[Rule, Finding], ...] = kept[1]
        return findings
    scene = Scene(unit, content, tuple([s.directive for s in content.directives]))
    made: list[tuple[Rule, Finding]] = []
    for rule in chosen:
        weak = content.tainted and rule.needs == "meaning"
        made += [(rule, _weakened(f) if weak else f) for f in rule.check(scene)]
    findings = tuple(made)
    content.memo[__name__] = (key, findings)
    return findings


def _callees(contents: tuple[Content, ...], unit: Unit) -> tuple[object, ...]:
    """What a rule's answer depends on besides the declaration and its known callers: what these call, transitively."""
    seen: dict[str, tuple[object, ...]] = {}
    waiting = [symbol for content in contents for symbol in content.calls]
    while waiting:
        symbol = waiting.pop()
        if symbol.name not in seen:
            called = unit.functions.get(symbol.name)
            at_end = unit.symbols.get(symbol.name, symbol)
            seen[symbol.name] = (called, at_end.declare_target)
            waiting += called.calls if called is not None else []
    return tuple(seen.items())


def _weakened(finding: Finding) -> Finding:
    return Finding(finding.span, finding.message, "hint", finding.related, finding.changes)


def _diagnostic(tu: TU, place: Item | FileDirective, rule: Rule, finding: Finding) -> Diagnostic:
    macros = tu.map.macros(place.start + finding.span.start)
    related = (
        *(Related(tu.locate(place, span), text) for span, text in finding.related),
        *(Related(where, f"it comes from macro `{name}`") for name, where in reversed(macros)),
    )
    fixes = tuple(fix for change in finding.changes if (fix := _fix(tu, place, change)) is not None)
    severity: Severity = finding.severity
    return Diagnostic(rule.id, severity, finding.message, tu.locate(place, finding.span), related, fixes)


def _fix(tu: TU, place: Item | FileDirective, change: Change) -> Fix | None:
    """None when the text to change comes out of a macro: there is nothing to edit at the place itself."""
    start, end = place.start + change.span.start, place.start + change.span.end
    # An insertion belongs to the text before it.
    first = tu.map.at(start - 1 if start == end else start)
    last = tu.map.at(max(start, end - 1) if start < end else start - 1)
    if first.kind != "verbatim" or last is not first:
        return None
    where = tu.map.location(start - 1, start) if start == end else tu.map.location(start, end)
    if start == end:
        where = type(where)(where.path, where.end, where.end)
    return Fix(change.title, (Edit(where, change.text),), change.safe)


def _ignored(tu: TU, place: Item | FileDirective, finding: Finding, rule_id: str) -> bool:
    """Whether a comment on the finding's line or on the line before names the rule."""
    where = tu.locate(place, finding.span)
    texts = [_two_lines(tu.expanded, place.start + finding.span.start)]
    if where.path == tu.path:
        texts.append(_two_lines(tu.source, where.start))
    for text in texts:
        for match in _IGNORE.finditer(text):
            if rule_id in match.group(1).decode().replace(" ", "").split(","):
                return True
    return False


def _two_lines(text: bytes, offset: int) -> bytes:
    """The line of `offset` and the one before it."""
    start = text.rfind(b"\n", 0, offset)
    start = text.rfind(b"\n", 0, max(start, 0))
    end = text.find(b"\n", offset)
    return text[start + 1 : end if end >= 0 else len(text)]
