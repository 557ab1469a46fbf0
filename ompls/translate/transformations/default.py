"""Kernels of class `default`: C with the user's pragmas, for devices that have a C compiler with OpenMP.

A kernel is `void NAME(void **params)`.  The body stays as it is, wrapped in the same construct with `if(target: 0)`;
what is mapped is reached through a pointer (2015 paper §3.2), except where a data-sharing clause names it: clauses
take no `(*x)`, so such a variable is copied in and out.
"""

from __future__ import annotations

import re

from ompls.analysis.model import ast
from ompls.analysis.model.ast import FunctionDef, Span, Symbol
from ompls.analysis.model.convert import unqualified
from ompls.analysis.model.ctype import Array, Function, Pointer
from ompls.analysis.model.tu import Item
from ompls.translate.clauses import fallback_pragma
from ompls.translate.ctext import is_const, is_vla
from ompls.translate.loops import LOOP_CONSTRUCTS, nest_of
from ompls.translate.needs import Index, Needs
from ompls.translate.output import OutLine, Places, generated, reindented
from ompls.translate.plan import Param, RegionPlan
from ompls.translate.problem import Problem
from ompls.translate.rewrite import Rewriter, without_comments
from ompls.translate.symbols import global_symbol
from ompls.translate.uses import PRIVATISING, directives_in, names_in

EXTENSION = "c"
_LINKAGE = re.compile(r"\b(static|extern|inline|__inline|__inline__|_Noreturn)\b\s*")


def kernel(index: Index, places: Places, plan: RegionPlan, needs: Needs) -> list[OutLine]:
    """The kernel file of one region."""
    out = generated(f"/* {plan.kernel}: kernel of class default, generated from {index.tu.path} */")
    out += _functions(index, places, needs)
    return reindented([*out, *_kernel(index, places, plan)])


def device_function(index: Index, places: Places, needs: Needs, f: FunctionDef) -> list[OutLine]:
    """The file of a function for kernels of other units."""
    out = generated(f"/* {f.symbol.name}: a device function of {index.tu.path}, for the kernels of other units */")
    return reindented([*out, *_functions(index, places, needs, f)])


def _functions(index: Index, places: Places, needs: Needs, shared: FunctionDef | None = None) -> list[OutLine]:
    """What a file needs; its functions are its own, except for the one that it is there for."""
    out: list[OutLine] = []
    types = index.kinds
    for t in needs.types:
        out += generated(t)
    for s in needs.externals.values():
        if isinstance(s.type, Function) and not s.name.startswith("__builtin"):
            out += generated(f"{types.c(s.type, s.name)};")
    for s in needs.globals.values():
        out += generated(f"__attribute__((weak)) {types.c(Pointer(s.type), global_symbol(index.tu, s))};")
    out += _statics(index, needs)
    for item, f in needs.functions:
        header = _LINKAGE.sub("", without_comments(index.tu.text(item, f.header))).strip()
        if ";" in header:  # the style before prototypes
            header = types.c(f.symbol.type, f.symbol.name)
        out += generated(f"{'' if f is shared else 'static '}{' '.join(header.split())};")
    for r in needs.reductions:
        out += generated(r.pragma)
    for item, f in needs.functions:
        out += _function(index, places, item, f, "" if f is shared else "static ")
    return out


def _statics(index: Index, needs: Needs) -> list[OutLine]:
    """Constants of the file scope that injected functions read; anything else has to be under `declare target`."""
    out: list[OutLine] = []
    for s in needs.statics.values():
        item, d = index.variables.get(s.name, (None, None))
        if item is None or d is None:
            out += generated(f"extern {index.kinds.c(s.type, s.name)};")
            continue
        init = f" = {index.tu.text(item, d.init.span)}" if d.init is not None else ""
        if not is_const(s.type):
            raise Problem(
                None,
                f"the global variable '{s.name}'",
                "a function called from the region uses it: put it under declare target",
            )
        out += generated(f"static {index.kinds.c(s.type, s.name)}{init};")
    return out


def _function(index: Index, places: Places, item: Item, f: FunctionDef, linkage: str) -> list[OutLine]:
    rw = Rewriter(item.content.text)
    replace_globals(index, rw, f)
    header = index.tu.text(item, f.header)
    rw.replace(f.header, linkage + _LINKAGE.sub("", header))
    return places.located(item, rw.render(Span(f.header.start, f.body.span.end)))


def replace_globals(index: Index, rw: Rewriter, node: ast.Node) -> None:
    """`counter` becomes `(*__ompls_g_counter)`."""
    for n in names_in(node):
        s = n.symbol
        if s is not None and s.kind == "var" and s.level == "file" and s.declare_target:
            rw.replace(n.span, f"(*{global_symbol(index.tu, s)})")


def _copied(plan: RegionPlan) -> list[Param]:
    """Parameters whose variable a data-sharing clause names, in the region or on it."""
    named: set[Symbol | None] = set()
    for stmt in directives_in(plan.region.stmt):
        named |= {i.symbol for c in stmt.directive.all(*PRIVATISING) for i in c.items}
        if LOOP_CONSTRUCTS & set(stmt.directive.constructs):
            named |= nest_of(stmt.directive, stmt.body).counters  # private, or left with their last value
    return [p for p in plan.params if p.deref and p.symbol in named]


def _kernel(index: Index, places: Places, plan: RegionPlan) -> list[OutLine]:
    types, region = index.kinds, plan.region
    path, line = places.line(plan.item, region.stmt.span.start)
    head = [f"void {plan.kernel}(void **ompls_params)", "{"]
    copied = _copied(plan)
    back = []
    for k, p in sorted(enumerate(plan.params), key=lambda x: (is_vla(x[1].type), x[1].kind == "address")):
        source = f"ompls_params[{k}]"
        if p in copied and p.symbol is not None:
            t = unqualified(p.symbol.type)
            name = p.symbol.name
            head.append(f"{types.c(p.type, f'ompls_p_{name}')} = *({types.c(Pointer(p.type))}){source};")
            head.append(f"{types.c(t, name)};")
            head.append(f"__builtin_memcpy(&{name}, (const void *)ompls_p_{name}, sizeof {name});")
            back.append(f"__builtin_memcpy((void *)ompls_p_{name}, &{name}, sizeof {name});")
        elif p.copy and p.symbol is not None:
            head.append(f"{types.c(p.symbol.type, p.name)};")
            head.append(f"__builtin_memcpy((void *)&{p.name}, *(void **){source}, sizeof {p.name});")
        elif isinstance(p.type, Array):
            head.append(f"{types.c(p.type, p.name)};")
            head.append(f"__builtin_memcpy((void *){p.name}, {source}, sizeof {p.name});")
        else:
            head.append(f"{types.c(p.type, p.name)} = *({types.c(Pointer(p.type))}){source};")
    head += [f"{types.c(unqualified(s.type), s.name)};" for s in plan.privates]
    rw = Rewriter(plan.item.content.text)
    _edit(index, rw, plan, {p.symbol for p in copied})
    pragma = fallback_pragma(index.tu, plan.item, region, plan.hoisted, tuple(p.name for p in copied))
    out = [OutLine(head[0], path, line), *generated("\n".join(head[1:])), OutLine(pragma, path, line)]
    if region.stmt.body is not None:
        out += places.located(plan.item, rw.render(region.stmt.body.span))
    return [*out, *generated("\n".join([*back, "}"]))]


def _edit(index: Index, rw: Rewriter, plan: RegionPlan, copied: set[Symbol | None]) -> None:
    body = plan.region.stmt.body
    if body is None:
        return
    replace_globals(index, rw, body)
    listed = {id(n) for s in directives_in(body) for c in s.directive.clauses for i in c.items for n in i.expr.walk()}
    for n in names_in(body):
        p = plan.param(n.symbol) if n.symbol is not None else None
        if p is not None and p.deref and n.symbol not in copied and id(n) not in listed:
            rw.replace(n.span, f"(*{p.name})")
