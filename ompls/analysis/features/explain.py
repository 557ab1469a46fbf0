"""Why there is no answer at a place, or a weaker one than expected: what the analysis knows of the surroundings.

Facts, the decisive ones first.  What the model cannot know (flags, compile database, settings) the server adds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ompls.analysis.features.inactive import conditions, unknown_condition
from ompls.analysis.features.pragmas import Pragma, pragma_at
from ompls.analysis.features.regions import region_at
from ompls.analysis.features.scopes import expanded_offset, item_at
from ompls.analysis.model import ast
from ompls.analysis.model.ast import walk_all
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import TU, Item
from ompls.analysis.source import Location
from ompls.analysis.spec import CLAUSES, DIRECTIVES
from ompls.analysis.syntax.pragma import parse_directive

_SUPPRESSED = re.compile(rb"ompls:\s*ignore[\w-]*(?:\[[^\]\r\n]*\])?")
_MOST = 5  # places of one kind that are listed; the rest is counted


@dataclass(frozen=True, slots=True)
class Reason:
    """One fact in a sentence of Markdown.

    topic -- 'branch', 'pragma', 'version', 'macro', 'statement', 'name', 'budget', 'header', 'suppressed' or 'region'
    decisive -- it is why something is not said here; else it only describes the place
    """

    topic: str
    text: str
    decisive: bool
    where: Location | None = None


def explain(tu: TU, offset: int) -> list[Reason]:
    """What keeps the analysis from saying more at byte `offset` of the main file, and what it stands on there."""
    found = [*_branch(tu, offset), *_budget(tu, offset), *_headers(tu), *_pragma(tu, offset)]
    found += [*_declaration(tu, offset), *_suppressions(tu, offset), *_region(tu, offset)]
    return sorted(found, key=lambda reason: not reason.decisive)


# --- the text around


def _branch(tu: TU, offset: int) -> Iterator[Reason]:
    hidden = next((i for i in tu.inactive if i.path == tu.path and i.start <= offset < i.end), None)
    if hidden is None:
        return
    above = conditions(tu.source, hidden.start)
    _, where, text = above[-1] if above else (hidden.start, hidden.start, "a conditional directive")
    why = unknown_condition(tu, hidden) or "it is not the branch that holds"
    yield Reason("branch", f"Line {_line(tu, offset)} is in an inactive branch, under `{text}` on line "
                 f"{_line(tu, where)}: {why}. Inactive text has colours and completion, no diagnostics.", True,
                 Location(tu.path, where, where))  # fmt: skip


def _budget(tu: TU, offset: int) -> Iterator[Reason]:
    if tu.complete:
        return
    rest = next((n for n in tu.notes if n.kind == "budget"), None)
    start = tu.map.location(rest.start, rest.start).start if rest is not None else 0
    here = offset >= start
    text = f"The time for one pass ran out at line {_line(tu, start)}"
    yield Reason("budget", f"{text}: what follows, this place too, is analysed in a later pass." if here else
                 f"{text}: what calls or is called from there is not known yet.", here)  # fmt: skip


def _headers(tu: TU) -> Iterator[Reason]:
    notes = [n for n in tu.notes if n.kind == "include"]
    for note in notes[:_MOST]:
        at = tu.map.location(note.start, max(note.end, note.start + 1))
        yield Reason("header", f"{_sentence(note.message)} While a header is missing, an unknown name may come from "
                     "it, so nothing certain is said about it.", True, at)  # fmt: skip
    if len(notes) > _MOST:
        yield Reason("header", f"{len(notes) - _MOST} more headers are missing.", True)
    if not tu.headers_known and not notes:
        yield Reason("header", "What the headers declare is not known yet: the answers are of the live tier.", True)


# --- the pragma at the cursor


def _pragma(tu: TU, offset: int) -> Iterator[Reason]:
    pragma = pragma_at(tu.source, offset)
    if pragma is None:
        return
    directive = parse_directive(tu.source[pragma.start : pragma.line_end], pragma.start)
    yield from _directive(tu, pragma, directive)
    for clause in directive.clauses:
        where = Location(tu.path, clause.span.start, clause.span.end)
        spec = CLAUSES.get(clause.name)
        if not clause.known or spec is None:
            yield Reason("pragma", f"`{clause.name}` is no clause of OpenMP.", True, where)
        elif clause.broken:
            yield Reason(
                "pragma", f"The arguments of `{clause.name}` are not understood: {clause.broken}.", True, where
            )
        elif spec.since > tu.settings.openmp:
            yield Reason("version", f"`{clause.name}` came with OpenMP {spec.since}; the version in use is "
                         f"{tu.settings.openmp} (`ompls.openmpVersion`).", True, where)  # fmt: skip


def _directive(tu: TU, pragma: Pragma, directive: Directive) -> Iterator[Reason]:
    where = Location(tu.path, pragma.start, pragma.end)
    spec = DIRECTIVES.get(directive.name)
    if not directive.known or spec is None:
        yield Reason("pragma", f"`{directive.name}` is no directive of OpenMP.", True, where)
    elif spec.since > tu.settings.openmp:
        yield Reason("version", f"`{spec.name}` came with OpenMP {spec.since}; the version in use is "
                     f"{tu.settings.openmp} (`ompls.openmpVersion`).", True, where)  # fmt: skip
    if "metadirective" in directive.name or directive.name.endswith("declare variant"):
        yield Reason("pragma", f"No variant of `{directive.name}` is chosen: a region that only it makes is not "
                     "analysed.", True, where)  # fmt: skip


# --- the declaration around


def _declaration(tu: TU, offset: int) -> Iterator[Reason]:
    item = item_at(tu, expanded_offset(tu, offset))
    if item is None:
        return
    where = tu.locate(item, item.content.node.span)
    if where.path != tu.path or not where.start <= offset <= where.end:
        return
    yield from _statements(tu, item)
    yield from _names(tu, item)


def _statements(tu: TU, item: Item) -> Iterator[Reason]:
    """What was not understood in the declaration, innermost pieces only."""
    if not item.content.tainted:
        return
    found: dict[int, Reason] = {}
    for note in tu.notes:
        if note.kind in ("parse", "pragma") and item.start <= note.start <= item.end:
            at = tu.map.location(note.start, max(note.end, note.start + 1))
            text = f"Line {_line(tu, at.start)} is not understood: {note.message}."
            found.setdefault(_line(tu, at.start), Reason("statement", text, True, at))
    for node in walk_all(item.content.node):
        if isinstance(node, (ast.OtherStmt, ast.OtherExpr)) and node is not item.content.node:
            at = tu.locate(item, node.span)
            text = (
                f"Line {_line(tu, at.start)} is not understood: `{_shortened(tu, item, node)}`{_macro(tu, item, node)}."
            )
            found.setdefault(_line(tu, at.start), Reason("statement", text, True, at))
    yield from list(found.values())[:_MOST]
    if len(found) > _MOST:
        yield Reason("statement", f"{len(found) - _MOST} more lines are not understood.", True)
    yield Reason("statement", "Where something is not understood, rules that need the meaning of a declaration give "
                 "hints at most in it.", False)  # fmt: skip


def _names(tu: TU, item: Item) -> Iterator[Reason]:
    """Names that nothing declares."""
    unknown: dict[str, ast.Node] = {}
    called: set[str] = set()
    for node in walk_all(item.content.node):
        if isinstance(node, ast.Call) and isinstance(node.function, ast.Name) and node.function.symbol is None:
            called.add(node.function.name)
        if isinstance(node, ast.Name) and node.symbol is None:
            unknown.setdefault(node.name, node)
    for name, node in list(unknown.items())[:_MOST]:
        at = tu.locate(item, node.span)
        kind = "function or macro" if name in called else "name"
        text = f"The {kind} `{name}` on line {_line(tu, at.start)} is not declared in this unit or its headers."
        yield Reason("macro" if name in called else "name", text, True, at)


def _suppressions(tu: TU, offset: int) -> Iterator[Reason]:
    start = tu.source.rfind(b"\n", 0, max(offset, 0))
    start = tu.source.rfind(b"\n", 0, max(start, 0)) + 1
    end = tu.source.find(b"\n", offset)
    for match in _SUPPRESSED.finditer(tu.source):
        text = match[0].decode("utf-8", "replace")
        if b"ignore[" not in match[0] or start <= match.start() < (end if end >= 0 else len(tu.source)):
            where = Location(tu.path, match.start(), match.end())
            yield Reason(
                "suppressed", f"The comment `{text}` on line {_line(tu, match.start())} silences rules.", True, where
            )
    settings = tu.settings
    if settings.select:
        yield Reason("suppressed", f"Only these rules are selected: {_listed(settings.select)}.", True)
    if settings.ignore:
        yield Reason("suppressed", f"These rules are ignored: {_listed(settings.ignore)}.", True)


def _region(tu: TU, offset: int) -> Iterator[Reason]:
    at = region_at(tu, offset)
    if at is not None:
        region = at[1]
        count = len(region.variables)
        text = f"This is region `{region.id}` (`{region.directive.name}`) with {count} variable{'s' * (count != 1)}"
        yield Reason(
            "region", text + ("; something in it is not understood." if region.tainted else "."), region.tainted
        )
    elif pragma_at(tu.source, offset) is None:
        yield Reason(
            "region", "This place is in no pragma and no target region: a language server for C answers here.", True
        )


# --- words


def _line(tu: TU, offset: int) -> int:
    return tu.source.count(b"\n", 0, offset) + 1


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."


def _shortened(tu: TU, item: Item, node: ast.Node) -> str:
    text = " ".join(tu.text(item, node.span).replace("`", "'").split())
    return text if len(text) <= 50 else text[:49] + "…"


def _macro(tu: TU, item: Item, node: ast.Node) -> str:
    stack = tu.map.at(item.start + node.span.start).stack
    return f" (from macro `{stack[0][0]}`)" if stack else ""


def _listed(ids: tuple[str, ...]) -> str:
    return ", ".join(f"`{i}`" for i in ids)
