"""Map items: what a construct's clauses say as `ompls_item_desc` and `ompls_arg`.  Expressions are host C text.

Items that lie in one structure are *parts* of one item, so that the structure is one allocation; items whose number is
known when the construct is met only (iterators, mappers, rectangles of `target update`) are *lists* of statements.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from ompls.analysis.dataenv.designators import beyond_gcc
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import Array, Pointer
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.omp import Clause, Directive, ListItem
from ompls.analysis.model.peel import bare
from ompls.analysis.model.tu import TU, Item, MapItem, Region
from ompls.analysis.rules.support.written import name_of
from ompls.analysis.spec.devices import NOT_YET
from ompls.analysis.syntax.quoted import c_string
from ompls.translate.ctext import Place, is_plain, is_unknown, place_of, pointer_of, size_of, why_unknown
from ompls.translate.flags import FLAGS, MOTION, bits
from ompls.translate.iterators import iterators_of, looped
from ompls.translate.mappers import Mapper, element_type, flags_of, mappers_of, nested_mappers
from ompls.translate.problem import Problem
from ompls.translate.requires import shares_memory
from ompls.translate.structures import COPIES, Found, ItemPlan, attached, item_plan, joined, seats
from ompls.translate.symbols import is_global

LIST = "@list@"  # in `fill`: the address of the list's head
_ATTACH = re.compile(r"attach\s*\(\s*(\w+)\s*\)")


def plan_items(tu: TU, item: Item, directive: Directive, region: Region | None = None) -> list[ItemPlan]:
    """The map items of a construct in source order; members of one variable joined, attached pointers last."""
    return _Planner(tu, item, directive, region).items()


class _Planner:
    """The items of one construct."""

    def __init__(self, tu: TU, item: Item, directive: Directive, region: Region | None) -> None:
        self.tu, self.region, self.directive = tu, region, directive
        self.text: Callable[[ast.Expr], str] = lambda e: tu.text(item, e.span)
        self.name: Callable[[ListItem], str] = lambda entry: name_of(tu, item, entry)
        self.motion = directive.name == "target update"
        self.mappers = mappers_of(tu)
        self.found: list[Found] = []
        self.explicit: set[Symbol] = set()

    def items(self) -> list[ItemPlan]:
        for clause in self.directive.all("map", "to", "from"):
            self._clause(clause)
        for m in [m for v in self.region.variables for m in v.maps if m.item is None] if self.region else []:
            if m.symbol not in self.explicit:
                self._implicit(m)
        for m in [m for v in self.region.variables for m in v.maps if m.item is not None] if self.region else []:
            if m.clause is not None and m.clause.name != "map" and m.item is not None:
                self._reduced(m.item, m.symbol)
        if self.motion:
            return [i for f in self.found for i in (f.plan, *f.after)]
        # A pointer that is mapped itself is attached to what is mapped through it.
        # So is one that is on the device from before (§5.8.6).
        found = [
            f if f.detached else replace(f, plan=attached(f.plan, self.explicit, self._stays(f.plan.symbol)))
            for f in (*self.found, *seats(self.found, kernel=self.region is not None))
        ]
        # An item that is in two clauses is copied before it is only allocated (OpenMP 5.2 §5.8.3).
        found.sort(key=lambda f: not COPIES & {x for i in (f.plan, *f.after) for x in i.flags} and not f.after)
        ordered = sorted(joined(found), key=lambda f: "ATTACH" in f.plan.flags)
        return [i for f in ordered for i in (f.plan, *f.after)]

    def _stays(self, symbol: Symbol | None) -> bool:
        """Whether the pointer may be on the device from before.  A kernel gets the address itself, but not the
        functions that it calls, which read a `declare target` pointer."""
        if self.region is None:
            return self.directive.name in ("target enter data", "target data")
        return symbol is not None and is_global(self.tu, symbol)

    def _clause(self, clause: Clause) -> None:
        if clause.broken:
            raise Problem(clause.span, f"the clause '{clause.name}'", clause.broken)
        self._check_modifiers(clause)
        flags = flags_of(clause)
        for entry in clause.items if "LOCAL" in flags else ():
            self._check_local(entry, clause)
        if clause.name != "map":
            flags = ("TO" if clause.name == "to" else "FROM", *(f for m in clause.modifiers for f in FLAGS.get(m, ())))
        for entry in clause.items:
            if isinstance(entry.expr, (ast.OtherExpr, ast.Shaping)) or (entry.symbol and is_unknown(entry.symbol.type)):
                raise Problem(entry.span, f"the list item '{self.name(entry)}'", why_unknown(self.tu))
            if beyond := beyond_gcc(entry.expr):
                raise Problem(entry.span, f"the list item '{self.name(entry)}'", f"it {beyond}")
            self._check_sections(entry)
            if any(m.startswith("iterator") for m in clause.modifiers):
                self._iterated(clause, entry, flags)
                continue
            place = self._place(entry.expr)
            if isinstance(bare(entry.expr), ast.Name) and entry.symbol:
                self.explicit.add(entry.symbol)
            if self.motion:
                self._moved(clause, entry, flags, place)
            else:
                mapper = self.mappers.of(element_type(entry.expr), clause)
                plan = item_plan(self.name(entry), flags, place, entry.symbol)
                self._mapped(replace(plan, whole=self._whole(entry, place)), place, mapper, entry.expr)
                if place.attach:
                    self.found[-1] = replace(self.found[-1], seat=self._place(pointer_of(entry.expr)))
                if any(m.replace(" ", "") == "attach(never)" for m in clause.modifiers):
                    self.found[-1] = _detached(self.found[-1])

    def _check_modifiers(self, clause: Clause) -> None:
        for modifier in clause.modifiers:
            what = f"'{modifier}' in '{clause.name}'"
            if modifier == "self" and not shares_memory(self.tu):
                raise Problem(clause.span, what, "the device has memory of its own; require unified_shared_memory")
            if modifier.startswith("ref_"):
                raise Problem(clause.span, what, "C has no references; only `attach` says what becomes of a pointer")
            kind = _ATTACH.match(modifier)
            if kind and kind.group(1) not in ("auto", "always", "never"):
                raise Problem(clause.span, what, "auto, always and never are the ways to attach")

    def _check_local(self, entry: ListItem, clause: Clause) -> None:
        """What a kernel reaches by one of its parameters can be near to it."""
        what = f"'ompx_local' for '{self.name(entry)}'"
        if self.region is None:
            raise Problem(clause.span, what, "only a target region can have a copy of its own")
        root = bare(entry.expr)
        while isinstance(root, ast.Section):
            root = bare(root.base)
        if not isinstance(root, ast.Name):
            raise Problem(entry.span, what, "it is neither a variable nor a section of one")
        if root is bare(entry.expr) and isinstance(root.type, Pointer):
            raise Problem(entry.span, what, "it is a pointer: say which section, as in `p[0:n]`")
        listed = any(m.startswith("iterator") for m in clause.modifiers)
        if listed or self.mappers.of(element_type(entry.expr), clause) is not None:
            raise Problem(entry.span, what, "how much it is comes out when the program runs")

    def _check_sections(self, entry: ListItem) -> None:
        for section in entry.expr.walk():
            if not isinstance(section, ast.Section):
                continue
            if section.stride is not None and not self.motion:
                raise Problem(entry.span, "an array section with a stride", NOT_YET["section with a stride"])
            inner = bare(section.base)
            if isinstance(inner, ast.Section) and isinstance(inner.type, Array) and isinstance(inner.type.of, Pointer):
                why = "its sections lead through several pointers; use an iterator"
                raise Problem(entry.span, f"the list item '{self.name(entry)}'", why)

    # --- map -----------------------------------------------------------------------------------------------------

    def _whole(self, entry: ListItem, place: Place) -> int:
        """The bytes of the array variable that the item is a section of; 0: of none, or nobody knows."""
        s = entry.symbol
        if s is None or place.base != f"&{s.name}" or not isinstance(s.type, Array):
            return 0
        return sizeof(s.type, self.tu.model) or 0

    def _mapped(self, plan: ItemPlan, place: Place, mapper: Mapper | None, expr: ast.Expr) -> None:
        fill = self._elements(plan, mapper, expr)
        if mapper is not None:
            plan = replace(plan, flags=_of_whole(plan.flags, mapper))
        elif not fill and not place.owner and is_plain(element_type(expr)):
            plan = replace(plan, flags=(*plan.flags, "PLAIN"))
        self.found.append(Found(plan, place, (_list(plan.name, fill),) if fill else ()))

    def _elements(self, plan: ItemPlan, mapper: Mapper | None, expr: ast.Expr, motion: int = 0) -> str:
        """Statements that add what a mapper maps for each element of an item."""
        flags = bits(f for f in plan.flags if f != "ATTACH") | motion
        if mapper is not None:
            arguments = f"{flags}u, (const void *)({plan.begin}), ({plan.size}) / sizeof({mapper.written})"
            return f"{mapper.function}({LIST}, 0, {arguments});"
        of = element_type(expr)
        if bare(expr).type != of:
            return ""  # only single structures are looked into for members with mappers
        return " ".join(
            f"{m.function}({LIST}, 0, {flags}u, {member}, {count});"
            for member, m, count in nested_mappers(self.mappers, of, f"({plan.begin.removeprefix('&')})")
        )

    def _implicit(self, m: MapItem) -> None:
        flags = (*FLAGS[m.map_type], *(f for x in m.modifiers for f in FLAGS.get(x, ())), "IMPLICIT")
        name = m.symbol.name
        if m.zero_length:
            place = Place(name, name, "0")
            self.found.append(Found(item_plan(name, ("ZERO_LENGTH", "IMPLICIT"), place, m.symbol), place))
            return
        place = Place(f"&{name}", f"&{name}", size_of(name, m.symbol))
        expr = ast.Name(ast.Span(0, 0), name, m.symbol, type=m.symbol.type)
        self._mapped(item_plan(name, flags, place, m.symbol), place, self.mappers.of(element_type(expr), None), expr)

    def _reduced(self, entry: ListItem, symbol: Symbol) -> None:
        """What a pointer leads to, in a `reduction` of the combined construct; variables need no item of their own."""
        place = self._place(entry.expr)
        if not place.base.startswith("&"):
            self.found.append(Found(item_plan(self.name(entry), ("TO", "FROM", "IMPLICIT"), place, symbol), place))

    def _iterated(self, clause: Clause, entry: ListItem, flags: tuple[str, ...]) -> None:
        """An item for every value of the iterators; elements of an array variable are parts of it in a region."""
        place = self._place(entry.expr)
        mapper = self.mappers.of(element_type(entry.expr), clause)
        array = place.base.startswith("&") and not place.attach and self.region is not None
        attach = place.attach or ("" if place.base.startswith("&") else f"&{place.base}")
        own = _of_whole(flags, mapper) if mapper is not None and not self.motion else flags
        if array:
            own = (*own, "PART")
        elif attach and not self.motion:
            own = (*own, "ATTACH")
        pointer = "0" if array or not attach else f"(const void *)({attach})"
        sized = f"(const void *)({place.begin}), {place.size}"
        named = f"{c_string(self.name(entry))}, {bits(own)}u, (const void *)({place.base})"
        add = f"ompls_list_add({LIST}, {named}, {sized}, {pointer});"
        if self.motion:
            add = self._rows(entry, flags)
        if mapper is not None:
            in_array = self.motion or array
            of = bits(flags) | (MOTION if self.motion else 0)
            whole, count = "0" if in_array else "__ompls_h", f"({place.size}) / sizeof({mapper.written})"
            call = f"{mapper.function}({LIST}, {whole}, {of}u, {place.begin}, {count});"
            add = call if in_array else f"{{ unsigned long long {whole} = {add} {call} }}"
        iterators = iterators_of(clause)
        fill = looped(iterators, [f"({it.count})" for it in iterators], "m", add)
        listed = _list(self.name(entry), fill)
        if array and entry.symbol is not None and entry.symbol not in self.explicit:
            name = entry.symbol.name
            whole_place = Place(f"&{name}", f"&{name}", size_of(name, entry.symbol))
            kept = tuple(f for f in flags if f not in COPIES)
            self.found.append(Found(item_plan(name, kept, whole_place, entry.symbol), whole_place, (listed,)))
        else:
            self.found.append(Found(listed, Place("0", "0", "0")))

    # --- target update ---------------------------------------------------------------------------------------------

    def _moved(self, clause: Clause, entry: ListItem, flags: tuple[str, ...], place: Place) -> None:
        mapper = self.mappers.of(element_type(entry.expr), clause)
        if mapper is not None:
            fill = self._elements(item_plan(self.name(entry), flags, place, None), mapper, entry.expr, MOTION)
        elif _is_rectangle(entry.expr):
            fill = self._rows(entry, flags)
        else:
            self.found.append(Found(replace(item_plan(self.name(entry), flags, place, entry.symbol), attach=""), place))
            return
        self.found.append(Found(_list(self.name(entry), fill), place))

    def _rows(self, entry: ListItem, flags: tuple[str, ...]) -> str:
        """Statements that add the rectangle of a list item: its first element, then its dimensions outwards."""
        place, dimensions = self._place(entry.expr), []
        first = place.begin.removeprefix("&")
        e = bare(entry.expr)
        while isinstance(e, (ast.Section, ast.Index, ast.Paren)):
            if isinstance(e, ast.Section):
                at = self._place(ast.Section(e.span, e.base, e.lower, e.length)).begin.removeprefix("&")
                lower = f"({self.text(e.lower)})" if e.lower else "0"
                length = self.text(e.length) if e.length else self._length(e, lower)
                stride = self.text(e.stride) if e.stride else "1"
                step = f"(long long)({stride}) * (long long)sizeof({at})"
                dimensions.append(f"ompls_list_rows({LIST}, (unsigned long long)({length}), {step});")
            e = bare(e.base) if isinstance(e, (ast.Section, ast.Index)) else e.inner
        row = bits((*flags, "ROWS")) if dimensions else bits(flags)
        named = f"{c_string(self.name(entry))}, {row}u, (const void *)({place.base})"
        add = f"ompls_list_add({LIST}, {named}, (const void *)(&{first}), sizeof({first}), 0);"
        return " ".join([add, *dimensions])

    def _length(self, e: ast.Section, lower: str) -> str:
        """The length of a section that names none: to the end of its dimension (OpenMP 5.2 §3.2.5)."""
        inner = self._place(e.base).begin.removeprefix("&")
        stride = f"({self.text(e.stride)})" if e.stride else "1"
        return f"((long long)(sizeof({inner}) / sizeof(({inner})[0])) - {lower} + {stride} - 1) / {stride}"

    def _place(self, expr: ast.Expr) -> Place:
        return place_of(self.text, expr, self.tu.model)


def _is_rectangle(e: ast.Expr) -> bool:
    """Whether bytes between the first and the last element may not belong to the item."""
    sections = [s for s in e.walk() if isinstance(s, ast.Section)]
    strided = any(s.stride is not None for s in sections)
    return len(sections) > 1 or strided or (bool(sections) and isinstance(bare(e), ast.Index))


def _of_whole(flags: tuple[str, ...], mapper: Mapper) -> tuple[str, ...]:
    """How the storage of a mapped structure itself is mapped, when a mapper says which members are."""
    whole = mapper.whole
    kept = [f for f in flags if f not in COPIES or f in whole]
    if not whole and COPIES & set(flags):
        kept.append("TO")  # members that no one lists have the host's values, then, not any
    return tuple(dict.fromkeys((*kept, *(f for f in whole if f not in COPIES))))


def _list(name: str, fill: str) -> ItemPlan:
    return ItemPlan(name, ("LIST",), "0", "0", "0", "", None, fill)


def _detached(f: Found) -> Found:
    plain = replace(f.plan, flags=tuple(x for x in f.plan.flags if x != "ATTACH"), attach="")
    return replace(f, plan=plain, detached=True)
