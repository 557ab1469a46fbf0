"""From races to findings: which rule a race belongs to, by what has to change; where it is reported, and how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ompls.analysis.dataenv.access import Access
from ompls.analysis.model.ast import Node, Span, Symbol
from ompls.analysis.model.ctype import Array, Pointer
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.framework import Change, Finding, Scene
from ompls.analysis.rules.support.races.judge import Race
from ompls.analysis.rules.support.races.levels import Level
from ompls.analysis.rules.support.races.pairs import races_of
from ompls.analysis.rules.support.races.updates import operator_of

Kind = Literal[
    "reduction", "shared", "carried", "teams", "mixed", "lock", "unprotected", "simd", "sections", "indirect"
]  # fmt: skip
_KEY = "race reports"


@dataclass(frozen=True, slots=True)
class Report:
    """The races of one variable that one change would end.

    race -- the first of them; all -- all of them
    operator -- of `reduction`: what it is to combine with
    """

    kind: Kind
    race: Race
    all: tuple[Race, ...]
    operator: str = ""

    @property
    def name(self) -> str:
        return self.race.first.symbol.name

    @property
    def writes(self) -> list[Access]:
        """The accesses that write, once each."""
        written = [x for r in self.all for x in (r.first, r.second) if x.write]
        return list({id(x): x for x in written}.values())


def reports(scene: Scene, *kinds: Kind) -> Iterator[Report]:
    """The races of a function that belong to a rule."""
    if scene.content is None or scene.function is None:
        return
    races = races_of(scene.content, scene.unit)
    if not races:
        return
    kept = scene.content.memo.get(_KEY)
    if kept is None or kept[0] is not races:
        kept = scene.content.memo[_KEY] = (races, list(_grouped(races)))
    found: list[Report] = kept[1]
    yield from (r for r in found if r.kind in kinds)


def _grouped(races: list[Race]) -> Iterator[Report]:
    """One report for each variable and thing to change, at the construct where it happens first."""
    groups: dict[tuple[Symbol, int, bool], list[Race]] = {}
    for race in races:
        groups.setdefault((race.first.symbol, id(race.level.stmt), race.fixed), []).append(race)
    for group in groups.values():
        certain = [r for r in group if r.certain]
        chosen = certain or group
        kind, operator, race = _kind(chosen)
        yield Report(kind, race, tuple(chosen), operator)


def _kind(races: list[Race]) -> tuple[Kind, str, Race]:
    for race in races:
        a, b = race.first.held, race.second.held
        kinds = [{k for k, _ in held} for held in (a, b)]
        if a & b and race.level.teams:
            return "teams", "", race
        if ("atomic" in kinds[0]) != ("atomic" in kinds[1]):
            return "mixed", "", _swapped(race) if "atomic" in kinds[0] and race.second.write else race
        if kinds[0] and kinds[1]:
            return "lock", "", race
        if kinds[0] or kinds[1]:
            return "unprotected", "", race
    race = next((r for r in races if r.second.read and r.second.node is not r.first.node), races[0])
    if race.level.kind == "sections":
        return "sections", "", race
    loads = (o for x in (race.first, race.second) for s in x.subscripts if s is not None for o in s.opaques())
    if race.meeting.verdict == "indirect" or (not race.fixed and any(o.op.startswith("[]") for o in loads)):
        return "indirect", "", race
    if race.fixed or (race.level.kind == "iterations" and all(_is_self(r) and not r.meeting.distance for r in races)):
        writes = [x for r in races for x in (r.first, r.second) if x.write]
        operators = {operator_of(x) for x in writes}
        if len(operators) == 1 and "" not in operators:
            return "reduction", operators.pop(), races[0]
    if race.level.unit == "lane":
        return "simd", "", race
    if race.level.kind == "copies" and race.level.unit == "team":
        return "teams", "", race
    if race.level.kind == "iterations" and not race.fixed:
        return "carried", "", race
    return "shared", "", race


def _is_self(race: Race) -> bool:
    a, b = race.first, race.second
    return a.node is b.node and a.inner is b.inner


def _swapped(race: Race) -> Race:
    return Race(race.second, race.first, race.level, race.meeting, race.fixed, race.certain)


# --- findings


def finding(
    scene: Scene, report: Report, message: str, changes: tuple[Change, ...] = (), hint: bool = False
) -> Finding:
    """The finding of a report: at its write, also where that is in a called function."""
    race = report.race
    first, second = race.first, race.second
    severity: Literal["warning", "hint"] = "warning" if race.certain and not hint else "hint"
    related: list[tuple[Span, str]] = []
    elsewhere: list[tuple[Content, Span, str]] = []
    home = first.home
    node: Node = first.inner if first.inner is not None else first.node

    def note(access_home: Content | None, span: Span, text: str) -> None:
        if access_home is home:
            related.append((span, text))
        else:
            content = access_home or scene.content
            if content is not None:
                elsewhere.append((content, span, text))

    if home is not None:
        note(None, first.node.span, "it is called here")
    other = second.inner if second.inner is not None else second.node
    if other is not node:
        note(second.home, other.span, f"`{report.name}` is {_verb(second)} here")
    note(None, race.level.stmt.directive.span, _runs(race.level))
    return Finding(node.span, message, severity, tuple(related), changes, home, tuple(elsewhere))


def text_of(scene: Scene, access: Access) -> str:
    """An access as written, on one line."""
    node = access.inner if access.inner is not None else access.node
    content = access.home or scene.content
    if content is None:
        return access.symbol.name
    return " ".join(content.text[node.span.start : node.span.end].decode("utf-8", "replace").split())


def units(level: Level) -> str:
    """Who runs at the same time."""
    if level.kind == "iterations":
        return "iterations"
    if level.kind == "sections":
        return "sections"
    return "teams" if level.unit == "team" else "threads"


def _runs(level: Level) -> str:
    return f"the {units(level)} of this construct run at the same time"


def _verb(access: Access) -> str:
    return "written" if access.write else "read"


def only_scalar(report: Report) -> bool:
    """Whether the variable itself is what races: no element, no member, nothing behind a pointer."""
    symbol = report.race.first.symbol
    return not isinstance(symbol.type, (Array, Pointer)) and all(
        not x.place.path and x.place.depth == 0 and x.home is None for r in report.all for x in (r.first, r.second)
    )


__all__ = ["Report", "finding", "only_scalar", "operator_of", "reports", "text_of", "units"]
