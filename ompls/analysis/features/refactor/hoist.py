"""Hoist the data environment out of a loop: `target data` around it, `target update` where the host touches the data.

The regions in the loop then find their data present, so their own maps copy nothing.  Offered for what is certain to
stay the same: sections that mean the same in front of the loop, regions without a life of their own (`nowait`,
`depend`, `device`, `if`), a loop that is left at its end or by `break`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ompls.analysis.dataenv.implicit import category
from ompls.analysis.dataenv.need import Bounds, functions_of
from ompls.analysis.dataenv.paths import holds_pointers, root
from ompls.analysis.dataenv.uses import uses
from ompls.analysis.diagnostic import Edit
from ompls.analysis.features.implied import mapped_elsewhere
from ompls.analysis.features.refactor.action import Action
from ompls.analysis.features.refactor.hostcode import HostCode, HostReader, Touch
from ompls.analysis.features.refactor.listed import finds_it, part, plainly_mapped, widest
from ompls.analysis.features.refactor.place import Writer
from ompls.analysis.features.refactor.pragma_text import pragma_text
from ompls.analysis.features.refactor.spelling import Speller
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Node, Stmt, Symbol, walk_all
from ompls.analysis.model.ctype import Array, CType, Pointer
from ompls.analysis.model.tu import TU, Item, MapItem, Region

TITLE = "Hoist the data environment out of this loop"
_OWN_LIFE = frozenset(("nowait", "depend", "device", "if", "in_reduction", "detach"))
_UNKNOWN = "a function is called that may use the data: it is not in this unit, or has directives of its own"
_IN_BETWEEN = "the host uses it where no update can stand"
Loop = ast.For | ast.While | ast.DoWhile


@dataclass(frozen=True, slots=True)
class Hoisted:
    """One list item for the new construct.  `written` -- by a region of the loop."""

    symbol: Symbol
    text: str
    written: bool


def hoist(tu: TU, item: Item, region: Region) -> Iterator[Action]:
    """One action for each loop around `region` that it can be hoisted out of, the innermost first."""
    if item.content.tainted or not isinstance(item.content.node, ast.FunctionDef):
        return
    above = _above(item.content.node, region.stmt)
    for number in range(len(above) - 1, -1, -1):
        loop = above[number]
        if isinstance(loop, ast.DirectiveStmt):
            return
        if isinstance(loop, (ast.For, ast.While, ast.DoWhile)) and all(_is_data(n) for n in above[:number]):
            action = _Hoist(tu, item, loop).action()
            if action is not None and not isinstance(above[number - 1], ast.Compound):
                action = replace(action, edits=(), otherwise=(), refused="the loop does not stand in a block")
            if action is not None:
                yield action


class _Hoist:
    def __init__(self, tu: TU, item: Item, loop: Loop) -> None:
        self._tu, self._item, self._loop = tu, item, loop
        inside = {id(n) for n in loop.walk()}
        self._regions = [r for r in item.content.regions if id(r.stmt) in inside]
        self._stmts = [s for s in item.content.directives if id(s) in inside]
        self._speller = Speller(tu, item, loop)
        self._elsewhere = mapped_elsewhere(item)

    def action(self) -> Action | None:
        """None: nothing in the loop is mapped that is not mapped around it."""
        where = self._tu.locate(self._item, self._loop.span)
        line = self._tu.source.count(b"\n", 0, where.start) + 1
        title = f"{TITLE} (line {line})"
        found = {s: h for s in self._candidates() if (h := self._hoisted(s)) is not None}
        if not found:
            return None
        unusual = self._unusual()
        if unusual:
            return Action(title, "refactor.rewrite", (), refused=unusual)
        chosen = {s: h for s, h in found.items() if isinstance(h, Hoisted)}
        left = {s.name: h for s, h in found.items() if isinstance(h, str)}
        functions = functions_of([i.content for i in self._tu.items])
        host = HostReader(self._item.content.node, set(chosen), functions).read(self._loop)
        if host.calls_unknown:
            return Action(title, "refactor.rewrite", (), refused=_UNKNOWN)
        kept = [h for h in chosen.values() if _stays_right(h, host)]
        left |= {h.symbol.name: _IN_BETWEEN for h in chosen.values() if h not in kept}
        edits, without = self._edits(kept, host) if kept else ((), ())
        refused = "; ".join(f"`{name}`: {why}" for name, why in left.items()) or "an update would share its line"
        return Action(title, "refactor.rewrite", edits, without, tuple(left.items()), "" if edits else refused)

    # --- the loop

    def _unusual(self) -> str:
        """What keeps the loop from being left in an ordinary way, or its regions from running in turn; or ""."""
        for node in walk_all(self._loop):
            if isinstance(node, ast.Jump) and node.kind in ("return", "goto"):
                return f"`{node.kind}` leaves the loop"
            if isinstance(node, (ast.Labeled, ast.OtherStmt, ast.OtherExpr)):
                return "a part of the loop is not understood, or can be jumped to"
        regions = {id(r.stmt) for r in self._regions}
        for stmt in self._stmts:
            directive = stmt.directive
            own = _OWN_LIFE & {c.name for c in directive.clauses}
            if id(stmt) in regions and own:
                return f"a region has `{min(own)}`"
            if not directive.known or (
                id(stmt) not in regions and ("target" in directive.name or "variant" in directive.name)
            ):
                return f"`{directive.name}` is in the loop, too"
        return "a region is not understood" if any(r.tainted for r in self._regions) else ""

    # --- the data

    def _candidates(self) -> Iterator[Symbol]:
        found: dict[Symbol, None] = {}
        for region in self._regions:
            for variable in region.variables:
                if variable.sharing == "mapped" and category(variable.symbol.type) != "scalar":
                    found.setdefault(variable.symbol)
        yield from (s for s in found if s not in self._elsewhere and not s.declare_target)

    def _hoisted(self, symbol: Symbol) -> Hoisted | str | None:
        """The list item for a variable; else what keeps it in the loop.  None: no region of the loop maps it."""
        texts, written = dict[str, tuple[str, Bounds | None]](), False
        for region in self._regions:
            variable = region.variable(symbol)
            if variable is None or finds_it(variable):
                continue
            text = plainly_mapped(variable)
            if text is None:
                return "it is not mapped by a plain `map` clause with a section"
            texts.setdefault(text, (self._as_written(region, variable.maps[0], text), part(variable)))
            changes = bool(variable.writes) if isinstance(symbol.type, Array) else variable.writes_pointee
            if changes and variable.maps[0].map_type not in ("from", "tofrom"):
                return "each time a region starts from the host's values anew"
            written = written or changes or bool(variable.writes)
        if not texts:
            return None
        chosen = widest(list(texts.values()))
        if chosen is None:
            return "which of its sections holds the others is not known"
        if holds_pointers(_data(symbol)):
            return "it has pointers"
        if not self._is_fixed(symbol):
            return "it, or its section, is not the same before the loop"
        return Hoisted(symbol, chosen, written)

    def _as_written(self, region: Region, mapped: MapItem, text: str) -> str:
        """`text`, the list item of a mapping, in the user's words."""
        pragma = pragma_text(self._tu, self._item, region.stmt)
        if pragma is None or mapped.item is None or mapped.clause is None:
            return text
        return pragma.item(mapped.clause, mapped.item)

    def _is_fixed(self, symbol: Symbol) -> bool:
        """Whether the variable and what its sections are made of mean the same all over the loop and before it."""
        made_of = {symbol} if isinstance(symbol.type, Pointer) else set[Symbol]()
        for region in self._regions:
            variable = region.variable(symbol)
            for mapped in variable.maps if variable is not None else ():
                for node in mapped.item.expr.walk() if mapped.item is not None else ():
                    if isinstance(node, (ast.Call, ast.Assign, ast.Member, ast.Shaping)):
                        return False
                    if isinstance(node, ast.Index) or (isinstance(node, ast.Unary) and node.op not in ("+", "-")):
                        return False
                    if isinstance(node, ast.Name) and node.symbol is not None:
                        made_of.add(node.symbol)
        if not all(self._speller.names(s) for s in {symbol, *made_of} if s.kind in ("var", "param")):
            return False
        made_of -= set() if isinstance(symbol.type, Pointer) else {symbol}
        changed = {u.symbol for u in uses(self._loop) if u.depth == 0 and (u.write or _is_taken(u.node))}
        declared = {n.symbol for n in self._loop.walk() if isinstance(n, ast.VarDecl)}
        return not made_of & (changed | declared) and symbol not in declared

    # --- the text

    def _edits(self, kept: list[Hoisted], host: HostCode) -> tuple[tuple[Edit, ...], tuple[Edit, ...]]:
        """The edits with the regions' own maps kept, and without them where they can be taken out; (): not possible."""
        writer = Writer(self._tu, self._item)
        maps = [
            f"map({kind}: {', '.join(h.text for h in kept if h.written == (kind == 'tofrom'))})"
            for kind in ("to", "tofrom")
            if any(h.written == (kind == "tofrom") for h in kept)
        ]
        writer.before(self._loop, f"#pragma omp target data {' '.join(maps)}")
        for touch in host.touches:
            self._updates(writer, touch, kept)
        if writer.failed:
            return (), ()
        inner = self._without_maps({h.symbol for h in kept})
        edits = tuple(writer.edits)
        return edits, tuple(sorted((*edits, *inner), key=lambda e: e.where.start)) if inner else ()

    def _updates(self, writer: Writer, touch: Touch, kept: list[Hoisted]) -> None:
        """`from` what a region wrote before the host uses it (a part, maybe); `to` what the host wrote."""
        back = [h.text for h in kept if h.symbol in touch.fetch and h.written]
        forth = [h.text for h in kept if h.symbol in touch.send]
        if back:
            writer.before(touch.stmt, f"#pragma omp target update from({', '.join(back)})")
        if forth:
            writer.after(touch.stmt, f"#pragma omp target update to({', '.join(forth)})")

    def _without_maps(self, hoisted: set[Symbol]) -> list[Edit]:
        """The regions' own maps of the hoisted variables taken out."""
        edits: list[Edit] = []
        for region in self._regions:
            pragma = pragma_text(self._tu, self._item, region.stmt)
            if pragma is None or not pragma.same:
                return []
            for clause in region.directive.all("map"):
                rest = [i for i in clause.items if (i.symbol or root(i.expr)) not in hoisted]
                if len(rest) < len(clause.items):
                    listed = ", ".join(pragma.item(clause, i) for i in rest)
                    pragma.replace(clause, f"map({clause.keyword or 'tofrom'}: {listed})" if rest else "")
            edits += pragma.edits()
        return edits


def _above(function: Node, target: Node) -> list[Node]:
    """The nodes on the way from the function's body down to `target`, without it."""
    way: list[Node] = []
    node = function
    while True:
        below = next(
            (c for c in node.children() if c.span.start <= target.span.start and target.span.end <= c.span.end), None
        )
        if below is None or below is target:
            return way if below is not None else []
        way.append(below)
        node = below


def _is_data(node: Node) -> bool:
    """Whether a node around the loop leaves it to one thread of the host."""
    return not isinstance(node, ast.DirectiveStmt) or node.directive.name == "target data"


def _data(symbol: Symbol) -> CType:
    return symbol.type.to if isinstance(symbol.type, Pointer) else symbol.type


def _is_taken(node: Node) -> bool:
    return isinstance(node, ast.Unary) and node.op == "&"


def _stays_right(hoisted: Hoisted, host: HostCode) -> bool:
    """Whether updates can stand wherever the host touches the data."""
    if hoisted.symbol in host.elsewhere:
        return False
    return not any(hoisted.symbol in t.writes and _jumps(t.stmt) for t in host.touches)


def _jumps(stmt: Stmt) -> bool:
    return any(isinstance(n, ast.Jump) for n in stmt.walk())
