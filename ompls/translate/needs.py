"""What a kernel file needs besides the region: functions, types, globals, prototypes, transitively.

Functions come by the call graph.  Types are found by the words of the text (a cast or a sizeof names them without a
node of its own) and are emitted as the user wrote them when they are the user's, from the model when a system header
declares them: a kernel file includes no header.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ompls.analysis.encoding import decoded, encoded
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Declaration, FunctionDef, Span, Symbol
from ompls.analysis.model.ctype import CType, Enum, Record
from ompls.analysis.model.declare import UNREADABLE
from ompls.analysis.model.tu import TU, Item, Region
from ompls.analysis.spec.devices import DeviceSpec
from ompls.analysis.syntax.attributes import begin_of_declaration
from ompls.translate.ctext import TRUTH, Types, arrays_in, element_of, is_vla, why_unknown, words, words_at
from ompls.translate.declared import DeclaredReduction, declared_reductions
from ompls.translate.definitions import defined
from ompls.translate.macros import Definitions
from ompls.translate.plan import HOISTED, RegionPlan
from ompls.translate.problem import Problem
from ompls.translate.symbols import is_global
from ompls.translate.tables import tables
from ompls.translate.typetexts import TypeText, named_by, records_of
from ompls.translate.uses import declared_in, directives_in, names_in

_STORAGE = re.compile(r"^\s*(?:(?:static|extern|inline|__extension__)\s+)+")

# Clauses of a target construct whose expressions the host evaluates.
_ON_HOST = ("if", "device", "depend", "priority")
_BASIC = frozenset({
    "_Bool", "bool", "__int128", "__int128_t", "__uint128_t",
    "_Float16", "_Float32", "_Float64", "_Float128",
})  # fmt: skip


@dataclass
class Needs:
    functions: list[tuple[Item, FunctionDef]] = field(default_factory=list)  # in source order
    externals: dict[str, Symbol] = field(default_factory=dict)  # functions without a body here
    globals: dict[str, Symbol] = field(default_factory=dict)  # declare target variables, of the region and functions
    statics: dict[str, Symbol] = field(default_factory=dict)  # other file-scope variables that functions use
    types: list[TypeText] = field(default_factory=list)  # declarations, in order
    reductions: list[DeclaredReduction] = field(default_factory=list)  # those whose identifiers are used
    devices: Sequence[DeviceSpec] = ()  # for which this is translated

    def body_of(self, function: str) -> FunctionDef | None:
        """Of one in `functions`."""
        return next((f for _, f in self.functions if f.symbol.name == function), None)

    def in_library(self, name: str) -> bool:
        """Whether a device has a library function of that name."""
        return any(device.can_call(name) for device in self.devices)


class Index:
    """Where the file-scope names of a translation unit stand."""

    def __init__(self, tu: TU) -> None:
        self.tu = tu
        self.functions: dict[str, tuple[Item, FunctionDef]] = {}
        self.variables: dict[str, tuple[Item, ast.VarDecl]] = {}
        self.types: dict[str, TypeText] = {}  # typedef names, tags, enumerators -> the declaration's text
        self.kinds = Types(tu)
        self.macros = Definitions(tu)
        for item in tu.items:
            node = item.content.node
            if isinstance(node, FunctionDef):
                self.functions[node.symbol.name] = (item, node)
            elif isinstance(node, Declaration):
                self._declaration(item, node)
        there = [w for w in TRUTH if encoded(w) in tu.expanded]  # quick, where few words are
        named = [w for w in there if re.search(rb"\b%s\b" % encoded(w), tu.expanded)]  # no macros of <stdbool.h>
        declared = {*self.types, *(self._variables() if named else ())}
        self.own = frozenset(named) & declared  # of which C++ has others
        self.kinds.own = self.own

    def _variables(self) -> Iterator[str]:
        """The names of all variables and parameters."""
        for item in self.tu.items:
            node = item.content.node
            if isinstance(node, FunctionDef):
                yield from (s.name for s in node.params)
            if node is not None:
                yield from (s.name for s in declared_in(node))

    def _declaration(self, item: Item, node: Declaration) -> None:
        text = decoded(item.content.text)
        for d in node.decls:
            if d.symbol.kind == "var" and (d.symbol.name not in self.variables or d.init is not None):
                self.variables[d.symbol.name] = (item, d)
        if "{" in text or any(d.symbol.kind == "typedef" for d in node.decls):
            whole = Whole(item, _before(self.tu.expanded, item.start, node.decls), text, node.decls, 0)
            add_types(self.types, whole, lambda _, tag: self._tagged(tag))

    def _tagged(self, tag: str) -> Record | None:
        found = self.tu.tags.get(tag)
        return found if isinstance(found, Record) else None


class Whole(NamedTuple):
    """A declaration in an item, at `base` of it, with the attributes in front of it."""

    item: Item
    before: str
    text: str
    decls: Sequence[ast.VarDecl]
    base: int


def add_types(index: dict[str, TypeText], whole: Whole, tagged: Callable[[int, str], Record | None]) -> None:
    """Enter the types that a declaration defines.  Variables that it declares with them are cut off.

    tagged -- the structure that is defined at an offset of the item, or that has a tag
    """
    text, decls = whole.before + whole.text, whole.decls
    base = whole.base - len(encoded(whole.before))
    typedef = any(d.symbol.kind == "typedef" for d in decls)
    own = text.rstrip().removesuffix(";") + ";"
    if decls and not typedef:
        start = min(d.span.start for d in decls) - whole.base
        own = _STORAGE.sub("", decoded(encoded(text)[:start])).rstrip() + ";"
        own = re.sub(r"\b(static|extern|const|volatile)\s+(?=struct|union|enum)", "", own)
        own = re.sub(r"\}(\s*\b(const|volatile)\b)+\s*;$", "};", own)
        if "{" not in own:
            return
    named = named_by(text, decls, lambda at, tag: tagged(base + at, tag))
    made = TypeText(own, whole.item, whole.base, named)
    for d in decls if typedef else []:
        index.setdefault(d.symbol.name, made)
    for x in defined(text):
        if x.tag:
            index[x.tag] = made
    for m in re.finditer(r"\benum\b[^{;]*\{([^}]*)\}", text):
        for e in re.split(r",(?![^(]*\))", re.sub(r"/\*.*?\*/|//[^\n]*", "", m.group(1), flags=re.S)):
            name = re.match(r"\s*([A-Za-z_]\w*)", e)
            if name:
                index.setdefault(name.group(1), made)


def needs_of(index: Index, plan: RegionPlan) -> Needs:
    """Everything the kernel of `plan` needs."""
    out = Needs()
    local = _local_types(index, plan.item, plan.region)
    index.kinds.learn(plan.item.content.node)
    todo: list[ast.Node] = [plan.region.stmt]
    texts = [index.tu.text(plan.item, plan.region.stmt.span)]
    found: set[str] = set()
    there = [e for c in plan.region.directive.all(*_ON_HOST, *HOISTED) for e in c.args]
    there += [i.expr for c in plan.region.directive.all("map", "depend") for i in c.items]
    on_host = {id(n) for e in there for n in e.walk()}
    while todo:
        node = todo.pop()
        inside = node is not plan.region.stmt
        called = []
        for r in _reductions(index, plan.item, node):
            if r not in out.reductions:
                out.reductions.append(r)
                texts.append(" ".join(r.types))
                called += [index.functions[w][1].symbol for w in sorted(words(r.uses)) if w in index.functions]
        used = [n.symbol for n in names_in(node) if n.symbol is not None and id(n) not in on_host]
        lengths = globals_in_lengths(index.tu, node) if isinstance(node, FunctionDef) else ()
        for s in (*called, *used, *lengths):
            if s.kind == "func" and s.name not in found:
                found.add(s.name)
                definition = index.functions.get(s.name)
                if definition is None:
                    out.externals[s.name] = s
                    continue
                out.functions.append(definition)
                index.kinds.learn(definition[1])
                todo.append(definition[1])
                texts.append(decoded(definition[0].content.text))
            elif s.kind == "var" and s.level == "file":
                if is_global(index.tu, s):
                    out.globals.setdefault(s.name, s)
                elif (inside or s.name in tables(index.tu)) and s.name not in out.statics:
                    out.statics[s.name] = s
                    where, d = index.variables.get(s.name, (None, None))
                    if where is not None and d is not None and d.init is not None:
                        todo.append(d.init)
                        texts.append(index.tu.text(where, d.init.span))
    for v in plan.globals:
        out.globals.setdefault(v.symbol.name, v.symbol)
    out.functions.sort(key=lambda f: f[0].start)
    printed = [*(p.type for p in plan.params), *(x.type for x in plan.privates)]
    printed += [s.type for s in (*out.globals.values(), *out.statics.values(), *out.externals.values())]
    texts += [index.kinds.c(t, "x") for t in printed]
    wanted: set[str] = set()
    for t in texts:
        wanted |= words(t)
    out.types = _Order(index, local).of(sorted(wanted))
    return out


def globals_in_lengths(tu: TU, f: FunctionDef) -> list[Symbol]:
    """What the lengths of a function's parameters name that is of the file."""
    texts = (a.vla_text for p in f.params for a in arrays_in(element_of(p.type)))
    names = {w for text in texts for w in words(text)} - {p.name for p in f.params}
    return [tu.symbols[name] for name in sorted(names & tu.symbols.keys())]


def _reductions(index: Index, item: Item, node: ast.Node) -> list[DeclaredReduction]:
    """The `declare reduction` directives whose identifiers reductions in `node` name."""
    clauses = (c for d in directives_in(node) for c in d.directive.all("reduction", "in_reduction", "task_reduction"))
    names = {c.keyword for c in clauses}
    return [r for r in declared_reductions(index.tu, item) if r.name in names] if names else []


def _local_types(index: Index, item: Item, region: Region) -> dict[str, TypeText]:
    """Types that the function around the region declares before it."""
    out: dict[str, TypeText] = {}
    node = item.content.node
    found: dict[tuple[int, str], Record] = {}

    def tagged(at: int, tag: str) -> Record | None:
        return found.get((at, tag))

    for n in ast.nodes(node):
        if isinstance(n, ast.DeclStmt) and n.span.end <= region.stmt.span.start:
            text = index.tu.text(item, n.span)
            _refuse_variable(index, item, region, n)
            if "{" in text or any(d.symbol.kind == "typedef" for d in n.decls):
                before = _before(index.tu.expanded, item.start + n.span.start, n.decls)
                if not found and node is not None:
                    found |= records_of(node)
                add_types(out, Whole(item, before, text, n.decls, n.span.start), tagged)
    return out


def _refuse_variable(index: Index, item: Item, region: Region, n: ast.DeclStmt) -> None:
    """Raises Problem where the region names a type of `n` whose size the host takes where `n` stands."""
    for name in (d.symbol.name for d in n.decls if d.symbol.kind == "typedef" and is_vla(d.symbol.type)):
        text, at = index.tu.text(item, region.stmt.span), region.stmt.span.start
        used = words_at(text, name)
        if used and all(x.symbol is None or x.symbol.name != name for x in names_in(region.stmt)):
            begin = at + len(encoded(text[: used[0]]))
            why = "its size varies, and is known on the host only; write the type with its lengths here"
            raise Problem(Span(begin, begin + len(encoded(name))), f"the type '{name}'", why)


def _before(text: bytes, at: int, decls: Sequence[ast.VarDecl]) -> str:
    """The attributes in front of a typedef at `at`."""
    if not any(d.symbol.kind == "typedef" for d in decls):
        return ""
    return decoded(text[begin_of_declaration(text, at) : at])


def type_texts(index: Index, names: list[str]) -> list[TypeText]:
    """The declarations of types, and of what they need, in order."""
    return _Order(index, {}).of(names)


class _Order:
    """Type declarations in an order in which every one follows what it needs."""

    def __init__(self, index: Index, local: dict[str, TypeText]) -> None:
        self.index, self.local = index, local
        self.out: list[TypeText] = []
        self.done: set[str | TypeText] = set()  # names and texts that have been seen to, or are being

    def of(self, names: Iterable[str]) -> list[TypeText]:
        for name in names:
            self._need(name)
        return self.out

    def _need(self, needed: str) -> None:
        waiting: list[str | TypeText] = [needed]  # names, and texts whose names have been seen to
        while waiting:
            name = waiting.pop()
            if isinstance(name, TypeText):
                self.out.append(name)
            elif name not in self.done:
                self.done.add(name)
                text = self.local.get(name) or self.index.types.get(name) or self._system(name)
                if text is not None and text not in self.done:
                    self.done.add(text)
                    waiting.append(text)
                    waiting += sorted(words(text.text) - {name}, reverse=True)

    def _system(self, name: str) -> TypeText | None:
        """A typedef or tag that a system header declares, or a record that has our name for want of its own."""
        if name in self.index.kinds.made:
            return self._typedef(name, self.index.kinds.made[name])
        symbol = self.index.tu.symbols.get(name)
        if symbol is not None and symbol.kind == "typedef" and not name.startswith("__builtin") and name not in _BASIC:
            t = symbol.type
            if isinstance(t, Record) and not t.tag:
                return self._typedef(name, t)
            if isinstance(t, Enum) and not t.tag:
                return TypeText(f"typedef int {name};")
            before = ""  # a tag of the same name, which is not looked up again
            if isinstance(t, (Enum, Record)) and t.tag == name:
                before = f"{self._enum(t)} " if isinstance(t, Enum) else f"{self._record(t)}; "
            made = self.index.kinds.c(t, name)
            if UNREADABLE in made:
                raise Problem(None, f"the type '{name}'", why_unknown(self.index.tu))
            said = f" __attribute__((aligned({t.align})))" if t.align and symbol.from_system_header else ""
            return TypeText(f"{before}typedef {made}{said};")
        if symbol is not None and symbol.kind == "enumconst" and symbol.from_system_header:
            return TypeText(f"enum {{ {name} = {symbol.value} }};")
        tag = self.index.tu.tags.get(name)
        if isinstance(tag, Enum):
            return TypeText(self._enum(tag))
        if isinstance(tag, Record):
            known = tag.body.fields is not None and not name.startswith("_IO")
            named = ((f"{tag.kind} {tag.tag}", tag),) if known else ()
            return TypeText(f"{self._record(tag)};" if known else f"{tag.kind} {name};", named=named)
        return None

    def _typedef(self, name: str, t: Record) -> TypeText:
        said = f" __attribute__((aligned({t.align})))" if t.align else ""
        return TypeText(f"typedef {self._record(t)} {name}{said};", named=((name, t),))

    def _enum(self, t: Enum) -> str:
        """An enumeration of the same size; the header's enumerators are declared one by one, as they are used."""
        value = "-1" if t.underlying.signed else hex((1 << (8 * t.underlying.size)) - 1)
        return f"enum {t.tag} {{ ompls_value_of_{t.tag} = {value} }};"

    def _record(self, t: Record) -> str:
        if t.body.fields is None:
            return f"{t.kind} {t.tag}"
        members = "".join(
            f" {self._member(f.type, f.name)}{f' : {f.bits}' if f.bits is not None else ''}"
            f"{_attributes(f.packed, f.align)};"
            for f in t.body.fields
        )
        said = _attributes(t.body.packed, t.body.align)
        return f"{t.kind}{said} {t.tag + ' ' if t.tag else ''}{{{members} }}"

    def _member(self, t: CType, name: str) -> str:
        if isinstance(t, Record) and not t.tag:
            return f"{self._record(t)} {name}"
        return self.index.kinds.c(t, name)


def _attributes(packed: bool, align: int | None) -> str:
    words = ["packed"] * packed + ([f"aligned({align})"] if align else [])
    return f" __attribute__(({', '.join(words)}))" if words else ""


def has_parallel(plan: RegionPlan, needs: Needs, chained: set[int]) -> bool:
    """Whether a parallel region can begin in the kernel other than by the construct (its directives: `chained`)."""
    code: list[ast.Node] = [plan.region.stmt, *(f for _, f in needs.functions)]
    return any(n.directive.has("parallel") and id(n.directive) not in chained for c in code for n in directives_in(c))
