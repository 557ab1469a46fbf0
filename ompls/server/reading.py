"""What a document's worker says to those who read: hover, lenses (`lenses.py`), the outline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ompls.analysis import features
from ompls.analysis.model.ast import FunctionDef
from ompls.analysis.rules import RULES, manual
from ompls.analysis.source import Location
from ompls.server.convert import Json
from ompls.server.harmless import harmless
from ompls.server.opened import Opened, Result

if TYPE_CHECKING:
    from lsprotocol import types


def hover(opened: Opened, result: Result, params: types.HoverParams) -> Any:
    offset = opened.offset(result, params.position)
    found = [harmless(features.hover(result.tu, offset) or ""), *_manuals(opened, result, offset)]
    text = "\n\n---\n\n".join(part for part in found if part)
    if not text:
        return None
    word = Location(result.tu.path, *features.word_at(result.tu.source, offset))
    return {"contents": {"kind": "markdown", "value": text}, "range": opened.places(result).range(word)}


def _manuals(opened: Opened, result: Result, offset: int) -> list[str]:
    """The pages of the rules that found something here, where the client cannot show them otherwise."""
    here = [d for d in result.found if d.where.path == result.tu.path and d.where.start <= offset <= d.where.end]
    rules = sorted({d.rule for d in here if d.rule in RULES and opened.manual_uri(d.rule) is None})
    return [manual(rule) for rule in rules]


def symbols(opened: Opened, result: Result, params: types.DocumentSymbolParams) -> list[Json]:
    """Functions (kind 12) with their regions (kind 19, object) below them; a `target data` has those inside of it."""
    places = opened.places(result)
    found: list[Json] = []
    for item in result.tu.items:
        node = item.content.node
        where = result.tu.locate(item, node.span)
        if not isinstance(node, FunctionDef) or where.path != result.tu.path:
            continue
        name = result.tu.locate(item, node.name_span)
        top: Json = {"name": node.symbol.name, "kind": 12, "range": places.range(where),
                     "selectionRange": places.range(name), "children": []}  # fmt: skip
        found.append(top)
        around = [(where.end, top)]
        ids = {id(r.stmt): r.id for r in item.content.regions}
        shown = [s for s in item.content.directives if id(s) in ids or s.directive.name == "target data"]
        for stmt in sorted(shown, key=lambda s: (s.span.start, -s.span.end)):
            whole, directive, known = result.tu.locate(item, stmt.span), stmt.directive, ids.get(id(stmt))
            if whole.path != result.tu.path:
                continue
            while whole.start >= around[-1][0] and len(around) > 1:
                around.pop()
            ranges = {
                "range": places.range(whole),
                "selectionRange": places.range(result.tu.locate(item, directive.span)),
            }
            symbol = {"name": directive.name + (f" ({known})" if known else ""), "kind": 19, **ranges, "children": []}
            around[-1][1]["children"].append(symbol)
            around.append((whole.end, symbol))
    return found
