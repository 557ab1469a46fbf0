"""The plan of one target construct: how each variable gets into the kernel, and what clauses hand to it."""

from __future__ import annotations

import re
from dataclasses import replace

from ompls.analysis.dataenv.private import COPYING
from ompls.analysis.model import ctype
from ompls.analysis.model.ast import FunctionDef, IntLiteral, Name, SizeOf, Symbol
from ompls.analysis.model.convert import unqualified
from ompls.analysis.model.ctype import INT, LONG_LONG, Array, CType, Function, Integer, Pointer, Record
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.model.peel import bare
from ompls.analysis.model.tu import TU, Item, Region, Variable
from ompls.analysis.spec.devices import NOT_YET
from ompls.translate.ctext import arrays_in, as_array_pointer, is_unknown, is_vla, why_unknown
from ompls.translate.declared import declared_reductions
from ompls.translate.items import plan_items
from ompls.translate.launch import chain_directives, dimensions_of, innermost, launch_of
from ompls.translate.plan import ARGS, HOISTED, Param, RegionPlan, Value
from ompls.translate.problem import Problem
from ompls.translate.sharing import copied_variables, implicit_copies, own_variables
from ompls.translate.structures import ItemPlan
from ompls.translate.tables import tables
from ompls.translate.uses import modified_in

LARGEST_VALUE = 256  # bytes of a firstprivate variable that is a parameter; kernels take 4096 bytes of them in all


def plan_region(tu: TU, item: Item, region: Region, kernel: str) -> RegionPlan:
    """The plan of one target construct.  Raises Problem for what no kernel class can do."""
    _check_constructs(region.directive)
    plan = RegionPlan(item, region, kernel, plan_items(tu, item, region.directive, region))
    for v in region.variables:
        if v.sharing != "declare_target" or v.symbol.name not in tables(tu):
            _add_variable(tu, plan, v)
    _put_first(plan)
    for clause in region.directive.all(*HOISTED, "if"):
        on_host = clause.name == "if" and clause.keyword in ("", "target")
        if clause.args and not on_host and not isinstance(bare(clause.args[-1]), IntLiteral):
            _hoist(plan, clause, tu.text(item, clause.args[-1].span))
    _add_originals(tu, plan)
    plan.dimensions = 1 if plan.one_team else dimensions_of(region.stmt)
    plan.launch = plan.shaped(tu, launch_of(tu, item, region, None, plan.dimensions))
    _add_parts(plan)
    return plan


def _check_constructs(d: Directive) -> None:
    device = d.clause("device")
    if device and ("ancestor" in device.modifiers or device.keyword == "ancestor"):
        raise Problem(device.span, "device(ancestor: …)", NOT_YET["clause device ancestor"])
    for clause in d.clauses:
        if clause.broken:
            raise Problem(clause.span, f"the clause '{clause.name}'", clause.broken)


def _refuse_type(plan: RegionPlan, v: Variable) -> None:
    """Raises Problem for a variable of which no clause can make what a kernel needs."""
    t = ctype.innermost(v.symbol.type)
    listed = any(i.symbol is v.symbol for c in plan.region.directive.clauses for i in c.items)
    if "_Atomic" in t.quals and (listed or v.sharing == "mapped"):
        why = "gcc takes none in a clause; make it a plain variable, and use the 'atomic' construct"
        raise Problem(None, f"the atomic variable '{v.symbol.name}'", why)
    if isinstance(t, Record) and any(is_vla(f.type) for f in t.body.fields or ()):
        why = "its structure has a member of variable length; give that a constant length, or make it a pointer"
        raise Problem(None, f"the variable '{v.symbol.name}'", why)


def _add_variable(tu: TU, plan: RegionPlan, v: Variable) -> None:
    s, t = v.symbol, v.symbol.type
    if v.sharing == "declare_target":
        plan.globals.append(v)
        return
    _refuse_type(plan, v)
    if v.sharing == "private":
        if isinstance(t, Array) and is_vla(t):
            _whole(plan, s, t)
        elif is_vla(t):
            _sized(plan, s, t)
        plan.privates.append(s)
        return
    if is_unknown(t):
        raise Problem(None, f"the variable '{s.name}'", why_unknown(tu))
    if v.sharing == "mapped":
        index, item = _item_of(plan, s)
        if isinstance(t, Array):
            whole = is_vla(t) and _length_matters(plan, s)
            pointer = _whole(plan, s, t) if whole else _sized(plan, s, as_array_pointer(t))
            plan.params.append(
                Param(s.name, s, "address", index, pointer, deref=t.length is not None and not is_vla(t))
            )
        elif isinstance(t, (Pointer, Function)) and item.base == s.name:
            plan.params.append(Param(s.name, s, "address", index, _sized(plan, s, t)))
        else:
            plan.params.append(Param(s.name, s, "address", index, Pointer(_sized(plan, s, t)), deref=True))
        return
    if v.sharing == "has_device_addr" or (v.sharing == "is_device_ptr" and isinstance(t, Array)):
        # Of a section `p[0:n]` what the pointer points to is on the device, of `p` the pointer is.
        through = isinstance(t, Pointer) and any(
            i.symbol is s and not isinstance(bare(i.expr), Name)
            for c in plan.region.directive.all("has_device_addr") for i in c.items
        )  # fmt: skip
        pointer = _sized(plan, s, as_array_pointer(t) if isinstance(t, Array) else t)
        direct = through or (isinstance(t, Array) and is_vla(t))
        expr = s.name if direct else f"&{s.name}"
        of = pointer if through or isinstance(t, Array) else Pointer(pointer)
        there = Value(f"(const void *){expr}", "const void *", lvalue=False)
        _hand_over(plan, Param(s.name, s, "pointer", 0, of, deref=not direct), there)
        return
    if is_vla(t) and isinstance(t, Array):
        value, pointer = f"&__ompls_f_{s.name}", _whole(plan, s, t)
        plan.params.append(Param(s.name, s, "address", len(plan.items), pointer, copy=True))
        plan.items.append(ItemPlan(s.name, ("TO", "VALUE"), value, value, f"sizeof({s.name})", "", None))
        return
    league = _teams_change(plan.region, s)
    if league or (isinstance(t, (Array, Record)) and (sizeof(t, tu.model) or 0) > LARGEST_VALUE):
        value = f"&__ompls_f_{s.name}"
        plan.params.append(Param(s.name, s, "address", len(plan.items), Pointer(t), copy=True, league=league))
        plan.items.append(ItemPlan(s.name, ("TO", "VALUE"), value, value, f"sizeof({s.name})", "", None))
        return
    kind = "pointer" if isinstance(t, Pointer) else "value"
    own = Value(s.name, f"__typeof__({s.name})", lvalue=s.storage != "register")
    _hand_over(plan, Param(s.name, s, kind, 0, _sized(plan, s, t)), own)


def _hand_over(plan: RegionPlan, param: Param, value: Value) -> None:
    """Add a parameter and the value that the host gives it.  What its type needs is among the values by then."""
    plan.params.append(replace(param, index=len(plan.values)))
    plan.values.append(value)


def _teams_change(region: Region, s: Symbol) -> bool:
    """Whether several teams share the region's copy of a firstprivate variable, and write to it."""
    chain, body = chain_directives(region.stmt), innermost(region.stmt)
    if body is None or s.storage == "register" or is_vla(s.type) or not any(d.has("teams") for d in chain):
        return False
    own = {i.symbol for d in chain if d.constructs != ("target",) for c in d.all(*COPYING) for i in c.items}
    return s not in own and s in modified_in(body)


def _whole(plan: RegionPlan, s: Symbol, t: Array) -> CType:
    """The pointer to the elements of an array of variable length; its outermost length becomes a parameter, too."""
    pointer = _sized(plan, s, as_array_pointer(t))
    plan.dims.setdefault(s, [str(a.length) for a in arrays_in(t.of)])
    plan.outer[s] = str(t.length)
    if t.length is None:
        text = f"ompls_n_{s.name}"
        value = Value(f"(long long)(sizeof({s.name}) / sizeof({s.name}[0]))", "long long", lvalue=False)
        _hand_over(plan, Param(text, None, "size", 0, LONG_LONG), value)
        plan.outer[s] = text
    return pointer


def _length_matters(plan: RegionPlan, s: Symbol) -> bool:
    """Whether the region asks for the size of an array, or has copies of it."""
    asked = (n.operand for n in plan.region.stmt.walk() if isinstance(n, SizeOf) and n.operand is not None)
    if any(x.symbol is s for e in asked for x in e.walk() if isinstance(x, Name)):
        return True
    return s in copied_variables(plan.region, implicit_copies(plan.region.stmt, own_variables(plan.region)))


def _add_parts(plan: RegionPlan) -> None:
    """Where the mapped section of an array begins and how long it is, if a construct has copies of the array."""
    arrays = [
        p for p in plan.params if p.deref and p.kind == "address" and p.symbol and isinstance(p.symbol.type, Array)
    ]
    parts = [p for p in arrays if plan.items[p.index].begin != plan.items[p.index].base]
    if not parts:
        return
    copied = copied_variables(plan.region, implicit_copies(plan.region.stmt, own_variables(plan.region)))
    for p in parts:
        s = p.symbol
        if s is None or s not in copied:
            continue
        at = f"{ARGS}[{p.index}]"
        texts = f"(const char *){at}.begin - (const char *){at}.base", f"{at}.size"
        names = f"ompls_begin_{s.name}", f"ompls_bytes_{s.name}"
        for name, text in zip(names, texts, strict=True):
            value = Value(f"(long long)({text})", "long long", lvalue=False)
            _hand_over(plan, Param(name, None, "size", 0, LONG_LONG), value)
        plan.parts[s] = names


def _add_originals(tu: TU, plan: RegionPlan) -> None:
    """The values that variables have before the region, for initializers that ask for them.

    A team that is done changes the variable, maybe before another one begins.  So the kernel gets a copy of it; for an
    array or a large structure there is one team, whose threads meet before the first of them joins its part.
    """
    chain = chain_directives(plan.region.stmt)
    if not any(d.has("teams") for d in chain):
        return
    asking = {r.name for r in declared_reductions(tu, plan.item) if r.asks_for_original}
    for entry in (i for d in chain for c in d.all("reduction") if c.keyword in asking for i in c.items):
        s = entry.symbol
        p = plan.param(s) if s is not None else None
        if s is None or s in plan.originals:
            continue
        if p is None or p.kind != "address" or not p.deref or isinstance(s.type, Array) or (
            (sizeof(s.type, tu.model) or 0) > LARGEST_VALUE
        ):  # fmt: skip
            plan.one_team = True
            continue
        plan.originals[s] = f"ompls_orig_{s.name}"
        plan.params.append(Param(plan.originals[s], None, "original", p.index, unqualified(s.type)))


def _sized(plan: RegionPlan, s: Symbol, pointer: CType) -> CType:
    """`pointer` with its variable lengths as parameters of their own, which the host computes with sizeof."""
    if not is_vla(pointer):
        return pointer
    dims = plan.dims.setdefault(s, [])

    def sized(t: CType, at: str) -> CType:
        if not isinstance(t, Array):
            return t
        text = str(t.length)
        named = _named(plan, s, t)
        if t.length is None and named is not None and named.name in plan.extents:
            text = plan.extents[named.name]
        elif t.length is None:
            text = f"ompls_d_{s.name}_{len(dims)}"
            kind: Integer = LONG_LONG
            if named is not None:
                plan.extents[named.name] = text
                kind = INT if _fits(named.type) else LONG_LONG
            value = Value(f"({kind.kind})(sizeof({at}) / sizeof({at}[0]))", kind.kind, lvalue=False)
            _hand_over(plan, Param(text, None, "size", 0, kind), value)
        dims.append(text)
        return replace(t, of=sized(t.of, f"{at}[0]"), vla_text=text)

    if isinstance(pointer, Pointer) and isinstance(pointer.to, Array):
        return replace(pointer, to=sized(pointer.to, f"{s.name}[0]"))
    raise Problem(None, f"the variable '{s.name}'", "a variable length stands too deep in its type")


def _named(plan: RegionPlan, s: Symbol, t: Array) -> Symbol | None:
    """The parameter that a length in the type of the parameter `s` names: all lengths of that name are equal, because
    they are computed where the function begins.  None for another length."""
    function = plan.item.content.node
    params = function.params if isinstance(function, FunctionDef) else []
    before = params[: params.index(s)] if s in params else []
    return next((p for p in before if p.name == t.vla_text), None)


def _fits(t: CType) -> bool:
    """Whether a length of the type is an `int`."""
    return isinstance(t, Integer) and (t.size < INT.size or (t.size == INT.size and t.signed))


def _item_of(plan: RegionPlan, s: Symbol) -> tuple[int, ItemPlan]:
    """The item whose device address stands for `s` in the kernel: of the variable itself before one based on it."""
    for base in (f"&{s.name}", s.name):
        if (s, base) in plan.places():
            k = plan.places()[s, base]
            return k, plan.items[k]
    # Reached through a member only (`s.p[0:n]`): the variable itself has to be there.
    array = isinstance(s.type, Array) and s.type.length is None
    base = s.name if array else f"&{s.name}"
    added = ItemPlan(s.name, ("TO", "FROM", "IMPLICIT"), base, base, f"sizeof({s.name})", "", s)
    plan.before.append(added)
    return -len(plan.before), added


def _put_first(plan: RegionPlan) -> None:
    """The items that `_item_of` has made come before all others, the last one first."""
    if count := len(plan.before):
        plan.items[:0] = reversed(plan.before)
        plan.params[:] = [replace(p, index=p.index + count * (p.kind == "address")) for p in plan.params]


def _hoist(plan: RegionPlan, clause: Clause, text: str) -> None:
    name = f"ompls_c_{clause.name}"
    value = f"+({text})"  # which no pointer has, where a conversion would be silent
    if clause.name == "if":
        name, value = f"ompls_c_if_{re.sub(r'[^a-z]', '_', clause.keyword)}", f"({text}) != 0"
    plan.hoisted[id(clause)] = name
    _hand_over(plan, Param(name, None, "value", 0, INT), Value(value, "int", lvalue=False))
