"""Kernels of class `default`: C with the user's pragmas, for devices that have a C compiler with OpenMP.

A kernel is `void NAME(void **params)`.  The body stays as it is, wrapped in the same construct with `if(target: 0)`;
what is mapped is reached through a pointer (2015 paper §3.2), except where a data-sharing clause names it: clauses
take no `(*x)`, so such a variable is copied in and out.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from ompls.analysis.dataenv.private import COPYING
from ompls.analysis.dataenv.storage import depth, local_sections
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, FunctionDef, Span, Symbol
from ompls.analysis.model.convert import unqualified
from ompls.analysis.model.ctype import Array, CType, Floating, Function, Integer, Pointer, Record, held
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.model.peel import bare
from ompls.analysis.model.tu import TU, Item
from ompls.analysis.rules.support.written import name_of
from ompls.analysis.spec.clauses import CLAUSES
from ompls.analysis.syntax.quoted import in_comment
from ompls.translate.canonical import LOOP_CONSTRUCTS, kept_counters, nest_of
from ompls.translate.clauses import fallback_of
from ompls.translate.ctext import arrays_in, is_const, is_vla
from ompls.translate.launch import chain_directives
from ompls.translate.layouts import C, asserted, laid_out
from ompls.translate.macros import Macros
from ompls.translate.needs import Index, Needs, globals_in_lengths
from ompls.translate.output import OutLine, Places, generated, reindented
from ompls.translate.plan import Param, RegionPlan
from ompls.translate.problem import Problem, not_on_devices
from ompls.translate.rewrite import NO_CODE, Chunk, Rewriter, name_function, without_comments
from ompls.translate.sharing import TASKS, Copies, copied_variables, implicit_copies, listed_in, own_variables
from ompls.translate.symbols import global_symbol, is_global
from ompls.translate.tables import tables
from ompls.translate.target import KernelClass
from ompls.translate.uses import declared_in, directives_in, everything, names_in

# Constructs whose copies may be made of a variable of the thread that meets them.
_OF_THEIR_OWN = frozenset(("parallel", "task", "taskloop", "simd", "teams"))
_TYPEOF = re.compile(rf"{NO_CODE}|\b(?:__)?(?P<of>typeof)(?:__)?(?:\s|/\*.*?\*/)*\(", re.S)
_WORD = re.compile(r"(?<![\w.>])(?<!struct )(?<!union )(?<!enum )[A-Za-z_]\w*")
_REDUCTIONS = ("reduction", "in_reduction", "task_reduction")
_IN_PRAGMAS = CLAUSES.__contains__  # gcc expands macros there
_LITTLE = 1024  # bytes
_LINKAGE = re.compile(r"\b(static|extern|inline|__inline|__inline__|_Noreturn)\b\s*")
_LENGTH = re.compile(r"\[[^][]*\]")


def kernel(index: Index, places: Places, plan: RegionPlan, needs: Needs) -> list[OutLine]:
    """The kernel file of one region."""
    needs = laid_out(index, needs)
    out = generated(f"/* {plan.kernel}: kernel of class default, generated from {in_comment(index.tu.path)} */")
    near = [f"{name_of(index.tu, plan.item, m.item)} {'?' if n is None else n}" for m, n in
            local_sections(plan.region, index.tu.model) if m.item is not None]  # fmt: skip
    if near:
        out += generated(f"/* ompx_local, in bytes: {in_comment(', '.join(near))} */")
    if variables := _variables(index, plan, needs):
        out += generated(f"/* variables at once, in bytes: {variables} */")
    macros = Macros(index.macros, _IN_PRAGMAS)
    lines = [*_functions(index, places, needs, macros), *_kernel(index, places, plan, needs, macros)]
    shared = {p.type.to if isinstance(p.type, Pointer) else p.type for p in plan.params if p.symbol}
    user = places.line(plan.item, plan.region.stmt.span.start)
    checks = _asserted(index, places, needs, user, [*shared, *(s.type for s in needs.globals.values())])
    return reindented([*out, *_head(index, places, needs), *macros.defined(lines), *lines, *checks])


def _variables(index: Index, plan: RegionPlan, needs: Needs) -> int:
    """What they take of the stack where that lies beside the code; 0: little."""
    models = [device.data_model(index.tu.model) for device in needs.devices if device.local]
    found = [depth(plan.region.stmt, model, needs.body_of, _LITTLE) for model in models]
    return max((one.size for one in found if one is not None), default=0)


def device_function(index: Index, places: Places, needs: Needs, f: FunctionDef) -> list[OutLine]:
    """The file of a function for kernels of other units."""
    needs = laid_out(index, needs)
    out = generated(
        f"/* {f.symbol.name}: a device function of {in_comment(index.tu.path)}, for the kernels of other units */"
    )
    macros = Macros(index.macros, _IN_PRAGMAS)
    lines = _functions(index, places, needs, macros, f)
    user = next((places.line(item, g.span.start) for item, g in needs.functions if g is f), ("", 0))
    checks = _asserted(index, places, needs, user, [s.type for s in needs.globals.values()])
    return reindented([*out, *_head(index, places, needs, f), *macros.defined(lines), *lines, *checks])


def _asserted(index: Index, places: Places, needs: Needs, user: tuple[str, int], shared: list[CType]) -> list[OutLine]:
    """That the device's compiler lays structures out as the host's; those that no data of the host have it may not."""
    bodies = {t.body for of in shared for t in held(of) if isinstance(t, Record)}
    types = [replace(t, named=tuple(x for x in t.named if x[1].body in bodies)) for t in needs.types]
    return asserted(types, C, index, places, user)


def _head(index: Index, places: Places, needs: Needs, shared: FunctionDef | None = None) -> list[OutLine]:
    """What a file declares; its functions are its own, except for the one that it is there for."""
    out: list[OutLine] = []
    types = index.kinds
    for t in needs.types:
        out += t.lines(places, t.text)
    for s in needs.externals.values():
        if isinstance(s.type, Function) and not s.name.startswith("__builtin"):
            out += generated(f"{types.c(s.type, s.name)};")
    for s in needs.globals.values():
        out += generated(f"__attribute__((weak)) {types.c(Pointer(s.type), global_symbol(index.tu, s))};")
    for item, f in needs.functions:
        header = _LINKAGE.sub("", without_comments(_header(index, item, f))).strip()
        if ";" in header:  # the style before prototypes
            header = types.c(f.symbol.type, f.symbol.name)
        out += generated(f"{'' if f is shared else 'static '}{' '.join(header.split())};")
    out += _statics(index, needs)
    for r in needs.reductions:
        out += generated(r.pragma)
    return out


def _functions(
    index: Index, places: Places, needs: Needs, macros: Macros, shared: FunctionDef | None = None
) -> list[OutLine]:
    out: list[OutLine] = []
    for item, f in needs.functions:
        linkage = "" if f is shared else "static "
        out += places.located(item, macros.written(item, _function(index, item, f, linkage)))
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
        if not is_const(s.type) and s.name not in tables(index.tu):
            raise not_on_devices(s.name, item, d)
        out += generated(f"static {index.kinds.c(s.type, s.name)}{init};")
    return out


def _replace_in_typeof(rw: Rewriter, node: ast.Node, names: dict[str, str]) -> None:
    """Edit the names inside of `typeof(…)`, which is only text to us: the tree has the type that comes out of it."""
    found = []
    text = rw.text[node.span.start : node.span.end].decode("latin-1")  # a byte is a character
    for m in _TYPEOF.finditer(text):
        depth, end = 1, m.end()
        while m.lastgroup and depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        found += [n for n in _WORD.finditer(text, m.end(), end) if n.group() in names] if m.lastgroup else []
    here = {s.name for s in declared_in(node)}
    for n in found:
        span = Span(node.span.start + n.start(), node.span.start + n.end())
        if n.group() in here:
            raise Problem(span, f"'typeof' of '{n.group()}'", "the region has two variables of that name; rename one")
        rw.replace(span, names[n.group()])


def _function(index: Index, item: Item, f: FunctionDef, linkage: str) -> list[Chunk]:
    unread = next((n.why for n in ast.nodes(f) if isinstance(n, (ast.OtherStmt, ast.OtherExpr)) and n.why), "")
    if unread:  # so what it needs is not known
        raise Problem(None, f"something in the function '{f.symbol.name}', which the region calls", unread)
    rw = Rewriter(item.content.text)
    replace_globals(index, rw, f)
    rw.replace(f.header, linkage + _LINKAGE.sub("", _header(index, item, f)))
    return rw.render(Span(f.header.start, f.body.span.end))


def _header(index: Index, item: Item, f: FunctionDef) -> str:
    """A function up to its body, with the device's variables in the lengths of its parameters."""
    header = index.tu.text(item, f.header)
    for s in globals_in_lengths(index.tu, f):
        if is_global(index.tu, s):
            name, here = re.compile(rf"\b{s.name}\b"), f"(*{global_symbol(index.tu, s)})"
            header = _LENGTH.sub(lambda m, name=name, here=here: name.sub(here, m.group()), header)  # type: ignore[misc]
    return header


def replace_globals(index: Index, rw: Rewriter, node: ast.Node, parameters: Collection[Symbol | None] = ()) -> None:
    """`counter` becomes `(*__ompls_g_counter)`, except in constructs with copies of it: clauses take no such name.

    parameters -- variables that are something else in the kernel
    """
    placed = [s for s in index.tu.symbols.on_device() if is_global(index.tu, s) and s not in parameters]
    _replace_in_typeof(rw, node, {s.name: f"(*{global_symbol(index.tu, s)})" for s in placed})
    copied = {id(n) for n in names_in(node) if n.symbol in parameters}
    shared: set[int] = set()
    reduced: set[int] = set()
    for stmt in directives_in(node):
        copied |= _own_global(index, rw, stmt, copied)
        shared |= {id(n) for c in stmt.directive.all("shared") for i in c.items for n in i.expr.walk()}
        reduced |= {id(i.expr) for c in stmt.directive.all(*_REDUCTIONS) for i in c.items}
    for n in names_in(node):
        s = n.symbol
        if s is not None and is_global(index.tu, s) and id(n) not in copied:
            pointer = global_symbol(index.tu, s)
            text = pointer if id(n) in shared else f"{pointer}[:1]" if id(n) in reduced else f"(*{pointer})"
            rw.replace(n.span, text)


def _own_global(index: Index, rw: Rewriter, stmt: DirectiveStmt, done: set[int]) -> set[int]:
    """Put local variables of the same names around a construct that lists globals.  The names that mean these."""
    d, names = stmt.directive, list(names_in(stmt))
    before = after = ""
    own: set[Symbol] = set()
    listed: dict[int, Clause] = {}
    for s, kept in _global_counters(index, stmt):
        if kept and not _OF_THEIR_OWN & {d.constructs[0]}:
            raise Problem(d.span, f"the global variable '{s.name}' as a counter", "declare the counter in the loop")
        own.add(s)
        before += f"{index.kinds.c(_variable(s.type), s.name)} = {global_symbol(index.tu, s)}[0]; "
        after += f" *{global_symbol(index.tu, s)} = {s.name};" if kept else ""
    for c in d.all(*COPYING, "task_reduction"):
        for s in (i.symbol for i in c.items if i.symbol is not None and is_global(index.tu, i.symbol)):
            if c.name in _REDUCTIONS and "inscan" not in c.modifiers and not isinstance(s.type, Array):
                continue  # a section of length one through the pointer
            if s in own or any(id(n) in done for n in names if n.symbol is s):
                continue
            if c.name == "firstprivate" and not _OF_THEIR_OWN & set(d.constructs):
                listed[id(c)] = c  # the copy around the construct is this thread's already
            elif c.name in _REDUCTIONS[1:] or (c.name != "private" and not _OF_THEIR_OWN & set(d.constructs)):
                raise Problem(
                    c.span, f"the global variable '{s.name}' in '{c.name}'", "name it on the parallel construct"
                )
            own.add(s)
            at = global_symbol(index.tu, s)
            before += (
                f"{index.kinds.c(_variable(s.type), s.name)}; __builtin_memcpy(&{s.name}, {at}, sizeof {s.name}); "
            )
            if c.name not in ("private", "firstprivate"):
                after += f" __builtin_memcpy({at}, &{s.name}, sizeof {s.name});"
    for c in listed.values():
        rest = ", ".join(i.text for i in c.items if i.symbol not in own)
        rw.replace(c.span, f"firstprivate({rest})" if rest else "")
    if own:
        rw.replace(stmt.span, f"{{ {before}\n", stmt.span, f"\n{after} }}")
    return {id(n) for n in names if n.symbol in own}


def _global_counters(index: Index, stmt: DirectiveStmt) -> list[tuple[Symbol, bool]]:
    """The counters of a construct's loops that are globals, and whether they keep their last value."""
    if not LOOP_CONSTRUCTS & set(stmt.directive.constructs):
        return []
    try:
        nest = nest_of(stmt.directive, stmt.body)
    except Problem:  # gcc may know more loops than we do
        return []
    kept = kept_counters(stmt.directive, nest)
    return [(x.symbol, x.symbol in kept) for x in nest.loops if is_global(index.tu, x.symbol)]


def _shared_by_tasks(rw: Rewriter, plan: RegionPlan, implicit: dict[int, Copies], copied: set[Symbol | None]) -> None:
    """Variables of which there is one only are shared by tasks; the region's copy of one would not be."""
    for stmt in directives_in(plan.region.stmt):
        d = stmt.directive
        if stmt.body is None or d.has("parallel") or not TASKS & set(d.constructs) or d.clause("default"):
            continue
        used = {n.symbol for n in names_in(stmt.body)} & copied
        used -= listed_in(stmt) | set(implicit[id(stmt)].symbols if id(stmt) in implicit else ())
        if used:
            names = ", ".join(sorted(s.name for s in used if s is not None))
            rw.replace(Span(d.span.end, d.span.end), f" shared({names})")


def _sized(plan: RegionPlan, s: Symbol) -> CType:
    """The type of `s` with variable lengths that the kernel knows."""
    if isinstance(s.type, Pointer) and s in plan.dims:
        return replace(s.type, to=_with_lengths(s.type.to, plan.dims[s]))
    if s not in plan.outer or not isinstance(s.type, Array):
        return s.type
    pointer = next((p.type for p in plan.params if p.symbol is s), None)
    below = pointer.to if isinstance(pointer, Pointer) else _with_lengths(s.type.of, plan.dims[s])
    return replace(s.type, of=below, vla_text=plan.outer[s])


def _variable(t: CType) -> CType:
    """The type of a variable for a value of the type `t`: `int64_t` stays that, a device's `long` may be shorter."""
    plain = unqualified(t)
    return replace(plain, exact=True) if isinstance(t, Integer) and isinstance(plain, Integer) and t.exact else plain


def _with_lengths(t: CType, lengths: list[str]) -> CType:
    if not isinstance(t, Array):
        return t
    return replace(t, of=_with_lengths(t.of, lengths[1:]), vla_text=lengths[0])


def _whole(plan: RegionPlan, p: Param) -> Param:
    """A pointer to the elements of a mapped array as one to the array, where its length matters."""
    if p.symbol is None or p.symbol not in plan.outer or p.copy:
        return p
    return replace(p, type=Pointer(_sized(plan, p.symbol)), deref=True)


def _kernel(index: Index, places: Places, plan: RegionPlan, needs: Needs, macros: Macros) -> list[OutLine]:
    types, region = index.kinds, plan.region
    path, line = places.line(plan.item, region.stmt.span.start)
    head = [f"void {plan.kernel}(void **ompls_params)", "{"]
    implicit = implicit_copies(region.stmt, own_variables(region))
    named = copied_variables(region, implicit)
    params = [_whole(plan, p) for p in plan.params]
    copied = [p for p in params if p.deref and p.symbol in named]
    elements = _pointers_to_elements(region.stmt, [p for p in params if p not in copied])
    through_copies = {id(p) for p in copied}
    tasks = _of_tasks(region.directive)
    asked = {i.symbol for d in chain_directives(region.stmt) for c in d.clauses for i in c.items}
    joined: list[str] = []
    back: list[str] = []
    for k, p in sorted(enumerate(params), key=lambda x: (is_vla(x[1].type), x[1].kind == "address")):
        source = f"ompls_params[{k}]"
        if id(p) in through_copies and p.symbol is not None:
            t = _variable(_sized(plan, p.symbol))
            name = p.symbol.name
            head.append(f"{types.c(p.type, f'ompls_p_{name}')} = *({types.c(Pointer(p.type))}){source};")
            head.append(f"{types.c(t, name)};")
            here, there, size = f"&{name}", f"(void *)ompls_p_{name}", f"sizeof {name}"
            if p.symbol in plan.parts:
                first, size = plan.parts[p.symbol]
                here, there = f"(char *){here} + {first}", f"(char *)ompls_p_{name} + {first}"
            before = joined if p.symbol in tasks else head
            before.append(f"__builtin_memcpy({here}, {there}, {size});")
            before.append(f"void *ompls_o_{name} = ompls_remember({here}, {size});")
            back.append(f"ompls_put_back({there}, {here}, ompls_o_{name}, {size});")
        elif p.copy and p.symbol is not None:
            head.append(f"{types.c(_sized(plan, p.symbol), p.name)};")
            head.append(f"__builtin_memcpy((void *)&{p.name}, *(void **){source}, sizeof {p.name});")
        elif isinstance(p.type, Array):
            head.append(f"{types.c(p.type, p.name)};")
            head.append(f"__builtin_memcpy((void *){p.name}, {source}, sizeof {p.name});")
        elif p.symbol is not None and p.symbol.from_system_header and p.symbol not in asked:
            head.append(f"extern {types.c(p.type, p.name)};")  # `stderr`: of the C library that the kernel has
        else:
            t = elements.get(p.symbol, p.type)
            head.append(f"{types.c(t, p.name)} = *({types.c(Pointer(t))}){source};")
    head += [f"{types.c(_variable(_sized(plan, s)), s.name)};" for s in plan.privates]
    if copied:  # other regions may change other bytes of the variables in the meantime (core/image.c)
        head[2:2] = [
            "extern void *ompls_remember(const void *, unsigned long);",
            "extern void ompls_put_back(void *, const void *, void *, unsigned long);",
        ]
    rw = Rewriter(plan.item.content.text)
    name_function(rw, plan.item.content.node, region.stmt)
    _edit(index, rw, plan, [p for p in params if p.deref and id(p) not in through_copies], elements)
    _shared_by_tasks(rw, plan, implicit, {p.symbol for p in copied})
    globals_ = {v.symbol.name: global_symbol(index.tu, v.symbol) for v in plan.globals}
    names = tuple(p.name for p in copied)
    pragma = fallback_of(index.tu, plan.item, region, plan.hoisted, names, pointers=globals_).line(
        index.tu, plan.item.start
    )
    if tasks:
        # Others may add to the corresponding variable at the same time: libgomp joins a reduction's parts atomically.
        parts = " ".join(_part(index.tu, plan, c, copied) for c in region.directive.all("in_reduction"))
        head += [f"#pragma omp parallel num_threads(1) {parts}", "{", *joined]
        back.append("}")
    out = [OutLine(head[0], path, line, entry=True), *(OutLine(x, entry=True) for x in head[1:])]
    out.append(OutLine(pragma, path, line))
    if region.stmt.body is not None:
        out += places.located(plan.item, macros.written(plan.item, rw.render(region.stmt.body.span)))
    path, line = places.line(plan.item, region.stmt.span.end - 1)
    return [*out, *(OutLine(x, path, line) for x in (*back, "}"))]


def _of_tasks(d: Directive) -> set[Symbol]:
    """What the construct reduces into as a task."""
    return {i.symbol for c in d.all("in_reduction") for i in c.items if i.symbol is not None}


def _part(tu: TU, plan: RegionPlan, c: Clause, copied: list[Param]) -> str:
    """An `in_reduction` of the construct as a `reduction` into what the parameters point to."""
    texts = []
    of = {p.symbol: p for p in reversed(copied)}
    for i in c.items:
        text = tu.text(plan.item, i.span)
        p = of.get(i.symbol)
        if p is not None and p.symbol is not None:
            name = f"ompls_p_{p.symbol.name}[:1]"
            if isinstance(bare(i.expr), (ast.Section, ast.Index)):
                lengths = text[len(p.symbol.name) :]
            elif any(a.length is None for a in arrays_in(p.symbol.type)):
                why = "its length is only known when the program runs: list a section of it"
                raise Problem(i.span, f"in_reduction of all of '{text}'", why)
            else:
                lengths = "".join(f"[:{a.length}]" for a in arrays_in(p.symbol.type))
            text = name + lengths
        texts.append(text)
    return f"reduction({c.keyword}: {', '.join(texts)})"


def _indexed(node: ast.Node) -> set[int]:
    """The names in front of a subscript, by their identity."""
    return {id(bare(n.base)) for n in everything(node) if isinstance(n, ast.Index)}


def _pointers_to_elements(stmt: DirectiveStmt, params: list[Param]) -> dict[Symbol | None, CType]:
    """Mapped arrays that are a pointer to their elements, as in calls of functions, with its type: `a[i]` stays so.

    The type of the whole array is written where its name stands alone: there a tag may mean something else.
    """
    indexed = _indexed(stmt)
    alone = {n.symbol for n in names_in(stmt) if id(n) not in indexed}
    found: dict[Symbol | None, CType] = {}
    for p in params:
        whole = p.type.to if isinstance(p.type, Pointer) and p.deref else None
        if isinstance(whole, Array) and not is_vla(whole) and not (p.symbol in alone and _has_tag(whole)):
            found[p.symbol] = Pointer(whole.of)
    return found


def _has_tag(t: CType) -> bool:
    while isinstance(t, (Array, Pointer)):
        t = t.of if isinstance(t, Array) else t.to
    return not isinstance(t, (Integer, Floating))


def _edit(
    index: Index, rw: Rewriter, plan: RegionPlan, pointed: list[Param], elements: dict[Symbol | None, CType]
) -> None:
    """Write what the pointers in `pointed` point to where the region names the variables."""
    body = plan.region.stmt.body
    if body is None:
        return
    replace_globals(index, rw, body, {p.symbol for p in plan.params} | set(plan.privates))
    whole = {
        p.symbol: f"(*({index.kinds.c(p.type)}){p.name})" if p.symbol in elements else f"(*{p.name})" for p in pointed
    }
    _replace_in_typeof(rw, body, {s.name: text for s, text in whole.items() if s is not None})
    listed = {id(n) for s in directives_in(body) for c in s.directive.clauses for i in c.items for n in i.expr.walk()}
    indexed = _indexed(body)
    for n in names_in(body):
        if n.symbol in whole and id(n) not in listed and not (n.symbol in elements and id(n) in indexed):
            rw.replace(n.span, whole[n.symbol])


CLASS = KernelClass(
    name="default",
    on_device=True,
    openmp=True,
    kinds=frozenset(("any", "nohost", "cpu")),
    extension="c",
    language="c",
    kernel=kernel,
    function=device_function,
)
