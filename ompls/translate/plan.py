"""What a target construct hands to its kernel: map items, parameters, values, launch geometry.

The plan is the same for every kernel class: the host code, the kernels and the manifest are three views of it.
Expressions are host C text after macro expansion.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Symbol
from ompls.analysis.model.ctype import INT, VOID, Array, CType, Function, Integer, Pointer
from ompls.analysis.model.layout import alignof, sizeof
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.model.tu import TU, Item, MapItem, Region, Variable
from ompls.translate.ctext import Place, as_array_pointer, is_unknown, is_vla, place_of, strip
from ompls.translate.loops import Nest, find_nest
from ompls.translate.problem import Problem

FLAGS = {
    "alloc": (), "to": ("TO",), "from": ("FROM",), "tofrom": ("TO", "FROM"), "release": ("RELEASE",),
    "delete": ("DELETE",), "always": ("ALWAYS",), "present": ("PRESENT",), "close": ("CLOSE",), "ompx_hold": ("HOLD",),
}  # fmt: skip
FLAG_BITS = {
    "TO": 1, "FROM": 2, "ALWAYS": 4, "DELETE": 8, "PRESENT": 16, "CLOSE": 32, "RELEASE": 64, "IMPLICIT": 128,
    "ZERO_LENGTH": 256, "HOLD": 512, "ATTACH": 1024,
}  # fmt: skip


@dataclass(frozen=True)
class ItemPlan:
    """One `ompls_item_desc` with its `ompls_arg`."""

    name: str
    flags: tuple[str, ...]
    base: str
    begin: str
    size: str
    attach: str
    symbol: Symbol | None

    @property
    def bits(self) -> int:
        return sum(FLAG_BITS[f] for f in self.flags)


@dataclass(frozen=True)
class Param:
    """One kernel parameter.

    symbol -- the user's variable, None for what a clause needs (`num_teams`, a variable array length)
    deref  -- the parameter is a pointer to the variable, not the variable's own value
    copy   -- a firstprivate array too large for a parameter: a pointer to its value, to be copied
    """

    name: str
    symbol: Symbol | None
    kind: str  # 'address' | 'value'
    index: int  # into items or values
    type: CType  # of the parameter
    deref: bool = False
    copy: bool = False

    @property
    def size(self) -> int:
        return 8 if self.kind == "address" else sizeof(self.type) or 0

    @property
    def align(self) -> int:
        return 8 if self.kind == "address" else alignof(self.type) or 1


@dataclass(frozen=True)
class Value:
    """A host expression whose bytes become a parameter: its address is taken when `lvalue`, else it is stored first."""

    expr: str
    type: str
    lvalue: bool


@dataclass(frozen=True)
class Launch:
    trip_count: str = "0"
    num_teams: str = "0"
    thread_limit: str = "0"
    num_threads: str = "0"


@dataclass
class RegionPlan:
    item: Item
    region: Region
    kernel: str
    items: list[ItemPlan]
    params: list[Param] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    launch: Launch = field(default_factory=Launch)
    hoisted: dict[int, str] = field(default_factory=dict)  # id(clause) -> parameter that holds its value
    dims: dict[Symbol, list[str]] = field(
        default_factory=dict
    )  # of a variable with variable lengths: below the outermost
    privates: list[Symbol] = field(default_factory=list)  # variables whose copies in the region start without a value
    globals: list[Variable] = field(default_factory=list)  # declare target variables used directly

    mode: str = "spmd"  # or 'master_worker'
    single: bool = False  # spmd with one thread a team: nothing in the region is parallel

    def settle(self, index: object, needs: object) -> None:
        """Choose the mode, now that the functions that the kernel calls are known."""
        from ompls.translate.needs import Index, Needs, has_parallel  # noqa: PLC0415 - needs imports this module

        assert isinstance(index, Index)
        assert isinstance(needs, Needs)
        chain = chain_directives(self.region.stmt)
        if any(d.has("parallel") or d.has("loop") for d in chain):
            return
        if has_parallel(index, self, needs, {id(d) for d in chain}):
            self.mode = "master_worker"
        else:
            self.single = True
            self.launch = Launch(self.launch.trip_count, self.launch.num_teams, self.launch.thread_limit, "1")

    def constructs(self) -> list[str]:
        """The leaf constructs in the region, sorted."""
        return sorted(
            {c for n in self.region.stmt.walk() if isinstance(n, DirectiveStmt) for c in n.directive.constructs}
        )

    def param(self, symbol: Symbol) -> Param | None:
        return next((p for p in self.params if p.symbol is symbol), None)


def plan_items(tu: TU, item: Item, directive: Directive, region: Region | None = None) -> list[ItemPlan]:
    """The map items of a construct in source order; members of one variable joined, attached pointers last."""
    text = lambda e: tu.text(item, e.span)  # noqa: E731
    found: list[tuple[ItemPlan, Place]] = []
    explicit: set[Symbol] = set()
    for clause in directive.all("map", "to", "from"):
        flags = FLAGS.get(clause.keyword, ()) if clause.keyword else ("TO", "FROM")
        if clause.name != "map":
            flags = ("TO",) if clause.name == "to" else ("FROM",)
        flags += tuple(f for m in clause.modifiers for f in FLAGS.get(m, ()))
        for entry in clause.items:
            for section in entry.expr.walk():
                if isinstance(section, ast.Section) and section.stride is not None:
                    raise Problem(clause.span, "an array section with a stride", "give it a stride of one")
            if isinstance(entry.expr, (ast.OtherExpr, ast.Shaping)) or (entry.symbol and is_unknown(entry.symbol.type)):
                raise Problem(entry.span, f"the list item '{entry.text}'", "its type is not known")
            place = place_of(text, entry.expr)
            found.append((_item(entry.text, flags, place, entry.symbol), place))
            if entry.symbol and isinstance(strip(entry.expr), ast.Name):
                explicit.add(entry.symbol)
    for m in _implicit(region):
        if m.symbol in explicit:
            continue
        flags = (*FLAGS[m.map_type], *(f for x in m.modifiers for f in FLAGS.get(x, ())), "IMPLICIT")
        name = m.symbol.name
        if m.zero_length:
            flags, place = ("ZERO_LENGTH", "IMPLICIT"), Place(name, name, "0")
        else:
            place = Place(f"&{name}", f"&{name}", f"sizeof({name})")
        found.append((_item(name, flags, place, m.symbol), place))
    # A pointer that is mapped itself is attached to what is mapped through it.
    found = [(_attached(i, explicit), p) for i, p in found]
    plain = [x for x in found if "ATTACH" not in x[0].flags]
    return _join(plain) + [i for i, _ in found if "ATTACH" in i.flags]


def _implicit(region: Region | None) -> list[MapItem]:
    return [m for v in region.variables for m in v.maps if m.item is None] if region else []


def _item(name: str, flags: tuple[str, ...], place: Place, symbol: Symbol | None) -> ItemPlan:
    if place.attach:
        flags += ("ATTACH",)
    return ItemPlan(name, tuple(dict.fromkeys(flags)), place.base, place.begin, place.size, place.attach, symbol)


def _attached(i: ItemPlan, explicit: set[Symbol]) -> ItemPlan:
    if i.symbol in explicit and i.symbol is not None and i.base == i.symbol.name and not i.attach:
        return ItemPlan(i.name, (*i.flags, "ATTACH"), i.base, i.begin, i.size, f"&{i.base}", i.symbol)
    return i


def _join(found: list[tuple[ItemPlan, Place]]) -> list[ItemPlan]:
    """Members of one variable become one item from the first to the last (they share an allocation)."""
    out: list[ItemPlan] = []
    groups: dict[Symbol, list[tuple[ItemPlan, Place]]] = {}
    for i, p in found:
        if p.owner is not None:
            groups.setdefault(p.owner, []).append((i, p))
    done: set[Symbol] = set()
    for i, p in found:
        group = groups.get(p.owner, []) if p.owner is not None else []
        if p.owner is None or len(group) == 1:
            out.append(i)
        elif p.owner not in done:
            done.add(p.owner)
            ordered = sorted(group, key=lambda x: x[1].offset)
            first, last = ordered[0][0], ordered[-1][0]
            flags = tuple(f for f in FLAG_BITS if any(f in g.flags for g, _ in group))
            size = f"(const char *)({last.begin}) - (const char *)({first.begin}) + {last.size}"
            name = ", ".join(g.name for g, _ in group)
            out.append(ItemPlan(name, flags, first.base, first.begin, size, "", first.symbol))
    return out


LARGEST_VALUE = 256  # bytes of a firstprivate array that is a parameter; kernels take 4096 bytes of them in all
HOISTED = ("num_teams", "thread_limit", "num_threads", "schedule", "dist_schedule", "priority")


def plan_region(tu: TU, item: Item, region: Region, kernel: str) -> RegionPlan:
    """The plan of one target construct.  Raises Problem for what no kernel class can do."""
    _check_constructs(region.directive)
    plan = RegionPlan(item, region, kernel, plan_items(tu, item, region.directive, region))
    for v in region.variables:
        _add_variable(plan, v)
    for clause in region.directive.all(*HOISTED):
        if clause.args and not isinstance(strip(clause.args[-1]), ast.IntLiteral):
            _hoist(plan, clause, tu.text(item, clause.args[-1].span))
    plan.launch = _launch(tu, item, region)
    return plan


def _check_constructs(d: Directive) -> None:
    device = d.clause("device")
    if device and ("ancestor" in device.modifiers or device.keyword == "ancestor"):
        raise Problem(device.span, "device(ancestor: …)", "reverse offloading is not there yet")
    for clause in d.clauses:
        if clause.broken:
            raise Problem(clause.span, f"the clause '{clause.name}'", clause.broken)
        if any(m.startswith(("mapper", "iterator")) for m in clause.modifiers) and clause.name in ("map", "to", "from"):
            raise Problem(clause.span, f"'{clause.name}' with a mapper or an iterator", "list the items instead")


def _add_variable(plan: RegionPlan, v: Variable) -> None:
    s, t = v.symbol, v.symbol.type
    if v.sharing == "declare_target":
        plan.globals.append(v)
        return
    if v.sharing == "private":
        plan.privates.append(s)
        return
    if is_unknown(t):
        raise Problem(None, f"the variable '{s.name}'", "its type is not known")
    if v.sharing == "mapped":
        index, item = _item_of(plan, s)
        if isinstance(t, Array):
            pointer = _sized(plan, s, as_array_pointer(t))
            plan.params.append(
                Param(s.name, s, "address", index, pointer, deref=t.length is not None and not is_vla(t))
            )
        elif isinstance(t, (Pointer, Function)) and item.base == s.name:
            plan.params.append(Param(s.name, s, "address", index, _sized(plan, s, t)))
        else:
            plan.params.append(Param(s.name, s, "address", index, Pointer(t), deref=True))
        return
    if v.sharing == "has_device_addr":
        pointer = as_array_pointer(t) if isinstance(t, Array) else t if isinstance(t, Pointer) else Pointer(t)
        direct = isinstance(t, Pointer) or is_vla(t)
        expr = s.name if direct else f"&{s.name}"
        plan.params.append(Param(s.name, s, "value", len(plan.values), pointer, deref=not direct))
        plan.values.append(Value(f"(const void *){expr}", "const void *", lvalue=False))
        return
    if is_vla(t) and isinstance(t, Array):
        raise Problem(None, f"the variable-length array '{s.name}' as firstprivate", "map it")
    if isinstance(t, Array) and (sizeof(t) or 0) > LARGEST_VALUE:
        value = f"__ompls_f_{s.name}"
        plan.params.append(Param(s.name, s, "address", len(plan.items), Pointer(t), copy=True))
        plan.items.append(ItemPlan(s.name, ("TO",), value, value, f"sizeof({value})", "", None))
        return
    plan.params.append(Param(s.name, s, "value", len(plan.values), _sized(plan, s, t)))
    addressable = s.storage != "register"
    plan.values.append(Value(s.name, f"__typeof__({s.name})", lvalue=addressable))


def _sized(plan: RegionPlan, s: Symbol, pointer: CType) -> CType:
    """`pointer` with its variable lengths as parameters of their own, which the host computes with sizeof."""
    if not is_vla(pointer):
        return pointer
    dims = plan.dims.setdefault(s, [])

    def sized(t: CType, at: str) -> CType:
        if not isinstance(t, Array):
            return t
        text = str(t.length)
        if t.length is None:
            text = f"ompls_d_{s.name}_{len(dims)}"
            plan.params.append(Param(text, None, "value", len(plan.values), Integer("long")))
            plan.values.append(Value(f"(long)(sizeof({at}) / sizeof({at}[0]))", "long", lvalue=False))
        dims.append(text)
        return replace(t, of=sized(t.of, f"{at}[0]"), vla_text=text)

    if isinstance(pointer, Pointer) and isinstance(pointer.to, Array):
        return replace(pointer, to=sized(pointer.to, f"{s.name}[0]"))
    raise Problem(None, f"the variable '{s.name}'", "a variable length stands too deep in its type")


def _item_of(plan: RegionPlan, s: Symbol) -> tuple[int, ItemPlan]:
    """The item whose device address stands for `s` in the kernel: of the variable itself before one based on it."""
    own = [(k, i) for k, i in enumerate(plan.items) if i.symbol is s and i.base == f"&{s.name}"]
    based = [(k, i) for k, i in enumerate(plan.items) if i.symbol is s and i.base == s.name]
    for choice in own + based:
        return choice
    # Reached through a member only (`s.p[0:n]`): the variable itself has to be there.
    array = isinstance(s.type, Array) and s.type.length is None
    base = s.name if array else f"&{s.name}"
    added = ItemPlan(s.name, ("TO", "FROM", "IMPLICIT"), base, base, f"sizeof({s.name})", "", s)
    plan.items.insert(0, added)
    plan.params[:] = [replace(p, index=p.index + (p.kind == "address")) for p in plan.params]
    return 0, added


def _hoist(plan: RegionPlan, clause: Clause, text: str) -> None:
    name = f"ompls_c_{clause.name}"
    plan.hoisted[id(clause)] = name
    plan.params.append(Param(name, None, "value", len(plan.values), INT))
    plan.values.append(Value(text, "int", lvalue=False))


def _launch(tu: TU, item: Item, region: Region) -> Launch:
    d = chain_directives(region.stmt)
    parallel_if = _parallel_if(tu, item, region, d)
    teams = any(x.has("teams") for x in d)

    def of(name: str, default: str) -> str:
        clause = next((c for x in d for c in x.all(name) if c.args), None)
        if clause is None or (
            clause.broken or not _host_safe(clause.args[-1], region, clause in region.directive.clauses)
        ):
            return default
        return tu.text(item, clause.args[-1].span)

    nest = find_nest(region.stmt)
    trip = trip_count_text(tu, item, region, nest) if nest else "0"
    if not any(x.has("parallel") or x.has("loop") for x in d):
        return Launch(trip, of("num_teams", "0") if teams else "1", of("thread_limit", "0"), "0")
    threads = of("num_threads", "0")
    if parallel_if:
        threads = f"({parallel_if}) ? ({threads}) : 1"
    return Launch(trip, of("num_teams", "0") if teams else "1", of("thread_limit", "0"), threads)


def _parallel_if(tu: TU, item: Item, region: Region, chain: list[Directive]) -> str:
    """The condition under which the chain's parallel construct has more than one thread; "" when it always has."""
    for d in chain:
        for c in d.all("if"):
            if c.args and (c.keyword == "parallel" or (not c.keyword and d.has("parallel") and not d.has("target"))):
                if not _host_safe(c.args[-1], region, d is region.directive):
                    raise Problem(c.span, "this condition of a parallel construct", "the host cannot evaluate it")
                return tu.text(item, c.args[-1].span)
    return ""


def chain_directives(stmt: DirectiveStmt) -> list[Directive]:
    """The target construct's directive and those strictly nested in it, as far as they are one combined construct."""
    out = [stmt.directive]
    body = stmt.body
    while True:
        if isinstance(body, ast.Compound) and len(body.items) == 1:
            body = body.items[0]
        elif isinstance(body, DirectiveStmt) and set(body.directive.constructs) <= _CHAIN:
            out.append(body.directive)
            body = body.body
        else:
            return out


_CHAIN = {"teams", "distribute", "parallel", "for", "simd", "loop"}


def _host_safe(e: ast.Expr, region: Region, outer: bool) -> bool:
    """Whether the host may evaluate `e` beforehand: no calls, no accesses, no variable whose value it lacks.

    A clause of the target construct itself (`outer`) is evaluated there anyway.
    """
    if outer:
        return True
    for n in e.walk():
        if isinstance(n, ast.Name) and n.symbol is not None and n.symbol.kind in ("var", "param"):
            v = region.variable(n.symbol)
            declared_inside = v is None and n.symbol.level == "block" and not outer
            if declared_inside or not isinstance(n.symbol.type, Integer) or (v is not None and v.writes):
                return False
        elif (
            not outer and isinstance(n, (ast.Call, ast.Index, ast.Member, ast.Assign, ast.OtherExpr, ast.StatementExpr))
        ) or (not outer and isinstance(n, ast.Unary) and n.op in ("*", "&", "++", "--")):
            return False
    return True


def trip_count_text(tu: TU, item: Item, region: Region, nest: Nest) -> str:
    """A host expression for the iterations of the loop nest, "0" when the host cannot know; only a launch hint."""
    factors = []
    for loop in nest.loops:
        if not (_host_safe(loop.lower, region, False) and _host_safe(loop.bound, region, False)):
            return "0"
        if any(isinstance(n, ast.Name) and n.symbol in {x.symbol for x in nest.loops} for n in loop.bound.walk()):
            return "0"
        factors.append(loop.count(tu.text(item, loop.lower.span), tu.text(item, loop.bound.span), "long long"))
    return " * ".join(f"({f})" for f in factors)


__all__ = ["VOID", "ItemPlan", "Launch", "Param", "RegionPlan", "Value", "plan_items", "plan_region"]
