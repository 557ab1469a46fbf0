"""Hover: how the variable under the cursor gets into its target region; what a directive's or clause's word does."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.paths import root
from ompls.analysis.dataenv.uses import uses
from ompls.analysis.encoding import decoded, encoded
from ompls.analysis.features.amounts import bytes_of
from ompls.analysis.features.declared import declared
from ompls.analysis.features.made import made_text
from ompls.analysis.features.meanings import word_text
from ompls.analysis.features.mentions import DIRECTION, macro_text, mention_text, named_text
from ompls.analysis.features.navigation import directives_at, word_at, words_of
from ompls.analysis.features.regions import region_at
from ompls.analysis.features.scopes import enclosing, expanded_offset, item_at
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span, Symbol, walk_all
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.model.tu import TU, FileDirective, Item, Region, Variable

_SHARING = {
    "mapped": "mapped",
    "firstprivate": "firstprivate: the region works on a copy of its value, which does not come back",
    "private": "private: every thread has a new, uninitialised one",
    "is_device_ptr": "a device pointer: its value is used as it is",
    "has_device_addr": "on the device already",
    "declare_target": "the device's own copy (`declare target`)",
    "shared": "shared",
}


def hover(tu: TU, offset: int) -> str | None:
    """Markdown about the word at byte `offset` of the main file; None if there is nothing to say."""
    known = word_text(tu.source, offset, tu.settings.openmp)
    if known is not None or (known := made_text(tu, offset)) is not None:
        return known
    x = expanded_offset(tu, offset)
    for place, directive in directives_at(tu, x):
        text = _of_directive(tu, place, directive, offset)
        if text is not None:
            return text
    text = _in_region(tu, offset)
    if text is not None:
        return text
    mentions = (mention_text(tu, place, directive, offset) for place, directive in directives_at(tu, x))
    text = next((text for text in mentions if text is not None), None)
    return text if text is not None else _in_code(tu, x, offset)


def _in_code(tu: TU, x: int, offset: int) -> str | None:
    """What the code of a construct names: a language server for C may be silent there (clangd 22 is)."""
    item = item_at(tu, x)
    outermost = next(iter(enclosing(item, x)), None)
    if item is None or outermost is None:
        return None
    text = named_text(tu, item, outermost, offset)
    start, end = word_at(tu.source, offset)
    if text is not None or (made := macro_text(tu, tu.source[start:end], offset)) is None:
        return text
    begun = tu.locate(item, outermost.span).start
    return made if start in words_of(tu.source, decoded(tu.source[start:end]), begun, end) else None


def _in_region(tu: TU, offset: int) -> str | None:
    """The variable of a target region, in its pragma or its code."""
    at = region_at(tu, offset)
    if at is None:
        return None
    item, region = at
    word = tu.source[slice(*word_at(tu.source, offset))]
    for symbol, span in _region_names(region):  # of what a macro's invocation stands for, what is written there
        if encoded(symbol.name) == word and _holds(tu, item, span, offset):
            variable = region.variable(symbol)
            if variable is not None:
                return variable_text(tu, variable, region) + _already(tu, item, region, variable)
            if symbol.kind in ("var", "param"):
                declaration = declared(tu, symbol.type, symbol.name)
                return f"```c\n{declaration}\n```\n\n{_beside_data(region, symbol, span)}"
    return None


def _beside_data(region: Region, symbol: Symbol, used: Span) -> str:
    """What a name of a region is that is no variable of its data environment."""
    pragma = region.stmt.directive.span
    if not pragma.start <= used.start < pragma.end:
        return "Declared in the region: it exists on the device only."
    if symbol.level == "block" and symbol.span is None:  # no declarator made it
        return "An iterator: the clause holds for each of its values."
    return "Only clauses use it: the host reads it when it comes to the region, and the device gets nothing of it."


def variable_text(tu: TU, variable: Variable, region: Region) -> str:
    """How one variable gets into the region, in Markdown."""
    symbol = variable.symbol
    lines = [f"```c\n{declared(tu, symbol.type, symbol.name)}\n```", f"In region `{region.id}`: "]
    if variable.sharing == "mapped":
        lines[-1] += _maps(tu, variable)
    else:
        lines[-1] += f"**{_SHARING[variable.sharing]}**"
    how = "implicitly" if variable.implicit else "explicitly"
    lines.append(f"{how.capitalize()}: {variable.why} (OpenMP §{variable.section}).")
    lines.append(_accesses(variable, region))
    return "\n\n".join(line for line in lines if line)


def _already(tu: TU, item: Item, region: Region, variable: Variable) -> str:
    """Which construct around the region has the data on the device already."""
    if variable.sharing != "mapped":
        return ""
    for stmt in reversed(enclosing(item, item.start + region.stmt.span.start)):
        for clause in stmt.directive.all("map") if stmt is not region.stmt else ():
            listed = next((i for i in clause.items if (i.symbol or root(i.expr)) is variable.symbol), None)
            if listed is not None:
                line = tu.source.count(b"\n", 0, tu.locate(item, clause.span).start) + 1
                what = f"`map({clause.keyword or 'tofrom'}: {listed.text})` of `{stmt.directive.name}` on line {line}"
                return f"\n\nOn the device already through {what}: the region copies nothing of it."
    return ""


def _maps(tu: TU, variable: Variable) -> str:
    parts = []
    for item in variable.maps:
        if item.zero_length:
            parts.append(
                "**mapped** as a zero-length array section: it points to the device's copy if what it points to is "
                "mapped already, else its value is kept"
            )
            continue
        what = f"`{item.item.text}` " if item.item is not None else ""
        modifiers = "".join(f"{m}, " for m in item.modifiers)
        size = bytes_of(variable.symbol, item.item, tu.model)
        parts.append(f"{what}**map({modifiers}{item.map_type})**: {DIRECTION[item.map_type]}{size}")
    return "; ".join(parts)


def _accesses(variable: Variable, region: Region) -> str:
    if not variable.reads and not variable.writes:
        return "The region's code does not use it."
    written, points = bool(variable.writes), isinstance(variable.symbol.type, Pointer)
    pointee = _verbs(variable.reads_pointee, variable.writes_pointee)
    if pointee and variable.reads:  # of the writes only some may be its own
        written = any(u.write and not u.depth for u in uses(region.stmt.body) if u.symbol is variable.symbol)
    text = f"The region's code has it {_verbs(bool(variable.reads), written)}"
    if points or pointee:
        text += f"; what {'it points' if points else 'its pointers lead'} to is {pointee or 'not used'}"
    return text + "."


def _verbs(read: bool, written: bool) -> str:
    return " and ".join([verb for verb, done in (("read", read), ("written", written)) if done])


# --- words of pragmas


def _of_directive(tu: TU, place: Item | FileDirective, directive: Directive, offset: int) -> str | None:
    """The variable that a clause names there; not what a macro's invocation stands for."""
    word = tu.source[slice(*word_at(tu.source, offset))]
    for clause in directive.clauses:
        for symbol, span in _clause_names(clause):
            if encoded(symbol.name) == word and _holds(tu, place, span, offset):
                region = _region_of(place, directive)
                variable = region.variable(symbol) if region is not None else None
                if region is not None and variable is not None and isinstance(place, Item):
                    return variable_text(tu, variable, region) + _already(tu, place, region, variable)
    return None


# --- places


def _region_of(place: Item | FileDirective, directive: Directive) -> Region | None:
    """The region that the directive makes or stands in."""
    if not isinstance(place, Item):
        return None
    inside = (
        r
        for r in place.content.regions
        if r.stmt.span.start <= directive.span.start and directive.span.end <= r.stmt.span.end
    )
    return next(inside, None)


def _clause_names(clause: Clause) -> Iterator[tuple[Symbol, Span]]:
    for expr in (*(i.expr for i in clause.items), *clause.args):
        for node in walk_all(expr):
            if isinstance(node, ast.Name) and node.symbol is not None:
                yield node.symbol, node.span


def _region_names(region: Region) -> Iterator[tuple[Symbol, Span]]:
    for node in walk_all(region.stmt):
        if isinstance(node, ast.Name) and node.symbol is not None:
            yield node.symbol, node.span
        elif isinstance(node, ast.VarDecl):
            yield node.symbol, node.name_span


def _holds(tu: TU, place: Item | FileDirective, span: Span, offset: int) -> bool:
    where = tu.locate(place, span)
    return where.path == tu.path and where.start <= offset < max(where.end, where.start + 1)
