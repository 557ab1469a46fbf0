"""A kernel file of class `gpu`: what the region needs, then the kernel itself.

Two kinds of kernel.  SPMD: the construct is teams, parallel or both, all the way down to its loop or block, so every
thread of the grid runs the body.  Generic (master/worker): sequential code with parallel regions in it.
"""

from __future__ import annotations

import re

from ompls.analysis.model import ast
from ompls.analysis.model.ast import FunctionDef, Symbol
from ompls.analysis.model.convert import decay
from ompls.analysis.model.ctype import Array, Function, Pointer
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import Item
from ompls.analysis.spec.devices.gpu import CUDA
from ompls.translate.ctext import flat, is_const, is_vla
from ompls.translate.escape import handed_over, parallel_functions
from ompls.translate.functions import in_other_units
from ompls.translate.launch import chain_directives, innermost
from ompls.translate.loops import LOOP_CONSTRUCTS, Nest, nest_of
from ompls.translate.needs import Index, Needs, has_parallel, type_texts, words
from ompls.translate.output import OutLine, Places, generated, reindented, tidied
from ompls.translate.plan import Param, RegionPlan
from ompls.translate.problem import Problem
from ompls.translate.rewrite import Chunk, Rewriter, without_comments
from ompls.translate.sharing import copies_made, own_variables
from ompls.translate.symbols import global_symbol, unit_symbol
from ompls.translate.templates import render
from ompls.translate.transformations.gpu.arrays import room
from ompls.translate.transformations.gpu.data import data_of
from ompls.translate.transformations.gpu.dialect import Dialect
from ompls.translate.transformations.gpu.emitter import Emitter, inner
from ompls.translate.transformations.gpu.library import CUDA_NAMES
from ompls.translate.transformations.gpu.loops import keep_counters, loop_parts
from ompls.translate.transformations.gpu.parallel import team_shared
from ompls.translate.transformations.gpu.promoted import write
from ompls.translate.transformations.gpu.reductions import operator_class
from ompls.translate.transformations.gpu.spelling import respell, respelled
from ompls.translate.transformations.gpu.sync import CHOOSING, allocators, chosen, lock
from ompls.translate.transformations.gpu.typetext import as_cxx
from ompls.translate.uses import PRIVATISING, modified_in, names_in

EXTENSION = "cu"
LARGEST_SHARED = 36 * 1024  # bytes: of 48 KiB, the library's stack and state are 10
_PROMOTED = """// SPMD: one thread runs the sequential code that has effects, all threads run the rest, and they meet.
// So there is no master, and nothing is handed over to workers.
"""
Shared = tuple[set[str], dict[tuple[str, str], str]]  # locks and operators of the file, which its parts add to
_LINKAGE = re.compile(r"\b(static|extern|inline|__inline|__inline__|_Noreturn)\b\s*")

_LEVELS = ("omp_get_level", "omp_get_team_size", "omp_get_ancestor_thread_num")  # they count parallel regions


def kernel(index: Index, places: Places, plan: RegionPlan, needs: Needs) -> list[OutLine]:
    """The kernel file of one region.  Raises Problem."""
    _check_names(index, plan, needs)
    locks: set[str] = set()
    operators: dict[tuple[str, str], str] = {}
    functions: list[OutLine] = []
    for item, f in needs.functions:
        functions += [*_function(index, places, needs, (item, f), (locks, operators)), OutLine("")]
    body = _Kernel(index, places, plan, needs, (locks, operators))
    lines = body.lines()
    head = render(
        "kernel.cu.j2",
        name=plan.kernel,
        source=index.tu.path,
        generic=plan.mode == "master_worker",
        sequential=plan.single and any(name in needs.externals for name in _LEVELS),
        nested=plan.mode == "spmd" and has_parallel(index, plan, needs, body.regions()),
        types=[respelled(as_cxx(t)) for t in [*needs.types, *_named_here(index, needs, [*functions, *lines])]],
        globals=[
            respelled(index.kinds.cxx(Pointer(s.type), global_symbol(index.tu, s))) for s in needs.globals.values()
        ],
        constants=_constants(index, needs),
        prototypes=_prototypes(index, needs),
        locks=[lock(n) for n in sorted(locks)],
        operators=[operator_class(name, *map(respelled, key)) for key, name in operators.items()],
    )
    return tidied(reindented(_with_complex([*generated(head), *functions, *lines])))


def device_function(index: Index, places: Places, needs: Needs, f: FunctionDef) -> list[OutLine]:
    """The file of a function for kernels of other units: in a namespace, because both have types of their own."""
    for item, g in needs.functions:
        _refuse_names(words(item.content.text.decode("utf-8", "replace")) | {g.symbol.name})
    shared: Shared = (set(), {})
    functions: list[OutLine] = []
    for definition in needs.functions:
        functions += [*_function(index, places, needs, definition, shared), OutLine("")]
    name = f.symbol.name
    space = f"ompls_unit_{unit_symbol(index.tu)}_{name}"
    head = render(
        "function.cu.j2",
        name=name,
        source=index.tu.path,
        space=space,
        types=[respelled(as_cxx(t)) for t in needs.types],
        globals=[
            respelled(index.kinds.cxx(Pointer(s.type), global_symbol(index.tu, s))) for s in needs.globals.values()
        ],
        constants=_constants(index, needs),
        prototypes=_prototypes(index, needs),
        locks=[lock(n) for n in sorted(shared[0])],
        operators=[operator_class(x, *map(respelled, key)) for key, x in shared[1].items()],
    )
    end = generated(f"}}\n#define ompls_function_{name} {space}::{_names(needs).get(name, respelled(name))}")
    return tidied(reindented([*generated(head), *functions, *end]))


def _prototypes(index: Index, needs: Needs) -> list[str]:
    """Declarations of the functions of this unit, and calls into other units for those that are there."""
    out = [f"{_header(index, needs, item, f)};" for item, f in needs.functions]
    for s in in_other_units(CUDA, needs):
        t = s.type
        if not isinstance(t, Function) or t.variadic or not t.prototype:
            raise Problem(None, f"the call of '{s.name}'", "its declaration does not say what it takes")
        params = ", ".join(index.kinds.cxx(flat(decay(p)), f"ompls_a{k}") for k, p in enumerate(t.params))
        args = "".join(f", ompls_a{k}" for k in range(len(t.params)))
        head = respelled(index.kinds.cxx(t.returns, f"{s.name}({params})"))
        call = f"ompls_across<{respelled(index.kinds.cxx(t.returns))}>(ompls_function_{s.name}{args})"
        out.append(f"static __device__ {head} {{ return {call}; }}  // of another unit")
    return out


def _with_complex(lines: list[OutLine]) -> list[OutLine]:
    """The lines, with the library's complex numbers if they are used."""
    if not any("ompls_complex<" in x.text for x in lines):
        return lines
    at = next(k for k, x in enumerate(lines, 1) if x.text == '#include "ompls_device.cuh"')
    return [*lines[:at], OutLine('#include "ompls_complex.cuh"'), *lines[at:]]


def _check_names(index: Index, plan: RegionPlan, needs: Needs) -> None:
    used = words(index.tu.text(plan.item, plan.region.stmt.span))
    for item, _ in needs.functions:
        used |= words(item.content.text.decode("utf-8", "replace"))
    _refuse_names(used)


def _refuse_names(used: set[str]) -> None:
    for name in sorted(used):
        if name.startswith(("ompls_", "OMPLS_")):
            raise Problem(None, f"the name '{name}'", "names that begin with ompls_ are those of the device library")
        if respelled(name) == f"{name}_" and respelled(name) in used:
            raise Problem(None, f"the name '{name}'", f"C++ reserves it, and '{respelled(name)}' is taken")


def _constants(index: Index, needs: Needs) -> list[str]:
    """File-scope constants that device functions read."""
    out = []
    for s in needs.statics.values():
        item, d = index.variables.get(s.name, (None, None))
        if item is None or d is None or d.init is None or not is_const(s.type):
            raise Problem(
                None,
                f"the global variable '{s.name}'",
                "a function called from the region uses it: put it under declare target",
            )
        rw = Rewriter(item.content.text)
        Dialect(rw, index.kinds).visit(d)
        out.append(respelled(f"static __device__ {index.kinds.cxx(s.type, s.name)} = {rw.string(d.init.span)};"))
    return out


def _names(needs: Needs) -> dict[str, str]:
    """Functions of the user's that the device has, too: C++ would choose between them by the arguments' types."""
    taken = (f.symbol.name for _, f in needs.functions)
    return {n: f"{n}_" for n in taken if n in CUDA_NAMES or CUDA.can_call(n) or n.startswith("atomic")}


def _rename(rw: Rewriter, needs: Needs, node: ast.Node) -> None:
    renamed = _names(needs)
    if renamed:
        for n in names_in(node):
            if n.symbol is not None and n.symbol.kind == "func" and n.name in renamed:
                rw.replace(n.span, renamed[n.name])


def _named_here(index: Index, needs: Needs, lines: list[OutLine]) -> list[str]:
    """Records without a name that got one when the kernel was written."""
    known = "\n".join(needs.types)
    used = words("\n".join(x.text for x in lines)) & set(index.kinds.made)
    return type_texts(index, sorted(n for n in used if f" {n};" not in known))


def _header(index: Index, needs: Needs, item: Item, f: FunctionDef) -> str:
    text = without_comments(index.tu.text(item, f.header))
    name = f.symbol.name
    kind = f.symbol.type
    if isinstance(kind, Function) and ("[" in text or ";" in text):
        # C's array parameters may have lengths that are variables, and its oldest style no types in the parentheses.
        params = ", ".join(index.kinds.cxx(flat(p.type), p.name) for p in f.params)
        text = index.kinds.cxx(kind.returns, f"{name}({params})")
    if name in _names(needs):
        text = re.sub(rf"\b{name}\b", f"{name}_", text)
    return f"static __device__ {' '.join(respelled(_LINKAGE.sub('', text)).split())}"


def _aliases(
    index: Index, needs: Needs, node: ast.Node, params: frozenset[str] | set[str] = frozenset()
) -> tuple[list[str], set[Symbol]]:
    """References to the `declare target` variables that `node` uses, except for what the construct maps."""
    lines: list[str] = []
    found: dict[str, Symbol] = {}
    for n in names_in(node):
        s = n.symbol
        if s is not None and s.level == "file" and s.name in needs.globals and s.name not in {*found, *params}:
            found[s.name] = s
            lines.append(
                f"{_reference(index, s)} = *{global_symbol(index.tu, s)};  // declare target: this device's own"
            )
    return lines, {n.symbol for n in names_in(node) if n.symbol is not None and n.symbol.name in found}


def _reference(index: Index, s: Symbol) -> str:
    return index.kinds.cxx(s.type, f"(&{s.name})" if isinstance(s.type, Array) else f"&{s.name}")


def _function(
    index: Index, places: Places, needs: Needs, definition: tuple[Item, FunctionDef], shared: Shared
) -> list[OutLine]:
    item, f = definition
    rw = Rewriter(item.content.text)
    t = f.symbol.type
    dims: dict[Symbol, list[str]] = {}
    dialect = Dialect(rw, index.kinds, getattr(t, "returns", None), dims)
    dialect.visit(f.body)
    _rename(rw, needs, f.body)
    aliases, references = _aliases(index, needs, f.body)
    e = Emitter(index.tu, item, rw, index.kinds, references=references, dims=dims)
    e.copies = copies_made(f.body, f.params)
    e.outer = dialect.arrays.outer
    e.locks, e.operators = shared
    e.parallel = parallel_functions([g for _, g in needs.functions])
    e.on_heap = handed_over(f.body, f.params, e.parallel)
    _refuse_escaping_parameters(e.on_heap & set(f.params))
    e.references = references | e.on_heap
    e.visit(f.body, "function")
    start = f.header.start
    chunks = [Chunk(f"{_header(index, needs, item, f)}\n{{\n" + "".join(f"{a}\n" for a in aliases), start, False)]
    chunks += [
        *respell(_trimmed(rw.render(inner(f.body, {x.name for x in references})))),
        Chunk("\n}", f.body.span.end - 1, False),
    ]
    return places.located(item, chunks)


def _refuse_escaping_parameters(found: set[Symbol]) -> None:
    for s in found:
        why = "a parallel region may be led to it, and it is on one thread's stack: take that of a variable"
        raise Problem(None, f"the address of the parameter '{s.name}'", why)


def _trimmed(chunks: list[Chunk]) -> list[Chunk]:
    """Without the blank rest of the line that an opening brace stood on, and the blanks before a closing one."""
    if chunks and chunks[-1].verbatim:
        last = chunks[-1]
        chunks = [*chunks[:-1], Chunk(last.text.rstrip(), last.source, True)]
    if chunks and chunks[0].verbatim:
        text = chunks[0].text
        short = re.sub(r"\A[ \t]*\r?\n", "", text)
        cut = len(text.encode()) - len(short.encode())
        return [Chunk(short, chunks[0].source + cut, True), *chunks[1:]]
    return chunks


class _Kernel:
    """Puts one kernel function together."""

    def __init__(self, index: Index, places: Places, plan: RegionPlan, needs: Needs, shared: Shared) -> None:
        self.index, self.places, self.plan, self.needs = index, places, plan, needs
        self.types = index.kinds
        self.stmt = plan.region.stmt
        self.chain = chain_directives(self.stmt)
        self.generic = plan.mode == "master_worker"
        self.body = innermost(self.stmt)
        self.rw = Rewriter(plan.item.content.text)
        self.emitter = Emitter(index.tu, plan.item, self.rw, index.kinds, plan, dims=plan.dims)
        self.emitter.locks, self.emitter.operators = shared
        self.emitter.copies = copies_made(self.stmt, own_variables(plan.region))

    def lines(self) -> list[OutLine]:
        e, plan = self.emitter, self.plan
        if self.body is None:
            raise Problem(None, "an empty target construct", "there is no statement after it")
        dialect = Dialect(self.rw, self.types, None, plan.dims)
        dialect.arrays.outer |= plan.outer
        e.outer = dialect.arrays.outer
        dialect.visit(self.stmt)
        _rename(self.rw, self.needs, self.stmt)
        aliases, references = _aliases(self.index, self.needs, self.stmt, {p.name for p in plan.params if p.symbol})
        e.references = references | {p.symbol for p in plan.params if p.deref and p.symbol is not None}
        written = modified_in(self.body)
        e.references |= {p.symbol for p in plan.params if p.copy and p.symbol and (p.league or p.symbol not in written)}
        values = {p.symbol for p in plan.params if p.symbol is not None and p.by_value}
        if self.generic:
            own = values | self._clause_privates() | self._reduced() | self._firstprivates()
            e.parallel = parallel_functions([f for _, f in self.needs.functions])
            e.team_shared = team_shared(self.body, own) | handed_over(self.body, own, e.parallel)
        elif plan.promotion is not None:
            e.team_shared = set(plan.promotion.shared)
        elif not plan.single:
            e.team_shared = self._written_values(values)
        self._check_shared()
        taken = {i.symbol for d in self.chain for c in d.all("reduction", "lastprivate") for i in c.items}
        hidden = self._hidden()
        copies: list[str] = []
        for p in plan.params:
            copies += self._local(p, taken) if p.symbol is None or p.symbol not in hidden else []
        for s in self._privates():
            if s in plan.outer:
                self._one_thread_writes(s)
                copies.append(room(self.types, s, plan.outer[s], plan.dims[s]))
            else:
                copies.append(f"{e.cxx(s.type, s.name)};  // private")
        begin = (
            ["if (!ompls_target_begin())\nreturn;  // a worker: it served the parallel regions"]
            if self.generic
            else [_PROMOTED * (plan.promotion is not None) + "ompls_spmd_begin();"]
        )
        if not self.generic and any(p.symbol in e.team_shared for p in plan.params):
            copies.append("ompls_barrier();")
        opening = _block([*begin, *copies, *aliases, *allocators(self.chain)])
        at = self.stmt.span.start
        chunks = [Chunk(f"{self._signature()}\n{opening}", at, False), *self._content(taken)]
        chunks.append(Chunk("\nompls_target_end();\n}" if self.generic else "\n}", self.stmt.span.end - 1, False))
        return self.places.located(plan.item, respell(chunks))

    def regions(self) -> set[int]:
        """The directives whose parallel regions all threads of the kernel run together."""
        promoted = self.plan.promotion.regions if self.plan.promotion is not None else frozenset()
        return {id(d) for d in self.chain} | promoted

    def _check_shared(self) -> None:
        for s in sorted(self.emitter.team_shared, key=lambda s: s.name):
            if (sizeof(s.type) or 0) > LARGEST_SHARED:
                why = f"threads share it, and a team has {LARGEST_SHARED} bytes for that; map an array instead"
                raise Problem(None, f"the variable '{s.name}' of {sizeof(s.type)} bytes", why)

    def _taken(self) -> set[str]:
        """Names that the block of the kernel declares before the user's statements."""
        return {p.name for p in self.plan.params} | {s.name for s in self.emitter.references | set(self.plan.privates)}

    def _signature(self) -> str:
        names = ", ".join(d.name for d in self.chain)
        path, line = self.places.line(self.plan.item, self.stmt.span.start)
        params = ", ".join(self._param(p) for p in self.plan.params)
        return f'// {path}:{line}: {names}\nextern "C" __global__ void {self.plan.kernel}({params})'

    def _renamed(self, p: Param) -> bool:
        return p.deref or p.copy or isinstance(p.type, Array) or p.symbol in self.emitter.team_shared

    def _param(self, p: Param) -> str:
        name = f"ompls_p_{p.name}" if self._renamed(p) and p.symbol is not None else p.name
        if isinstance(p.type, Array):  # an array parameter would be a pointer
            return f"ompls_array<{self.types.cxx(p.type.of)}, {p.type.length}> {name}"
        return self.types.cxx(flat(p.type), name)

    def _local(self, p: Param, taken: set[Symbol | None]) -> list[str]:
        """What makes a parameter the user's variable."""
        s = p.symbol
        if s is None or not self._renamed(p):
            return []
        source = f"ompls_p_{p.name}.v" if isinstance(p.type, Array) else f"ompls_p_{p.name}"
        if isinstance(s.type, Array) and is_vla(s.type):
            if not p.copy:
                return []
            self._one_thread_writes(s)
            length = f"sizeof *{s.name} * {' * '.join([self.plan.outer[s], *self._rows_of(s)])}"
            return [
                room(self.types, s, self.plan.outer[s], self.plan.dims[s]),
                f"memcpy({s.name}, {source}, {length});",
            ]
        if p.copy and s in self.emitter.references:
            why = "the teams share one copy" if p.league else "never written: no copy"
            return [f"{_reference(self.index, s)} = *{source};  // firstprivate, {why}"]
        if p.copy and s not in self.emitter.team_shared:
            copied = f"memcpy(&{s.name}, {source}, sizeof {s.name});"
            return [f"{self.emitter.cxx(s.type, s.name)};  // firstprivate", copied]
        if p.deref:
            return [] if s in taken else [f"{_reference(self.index, s)} = *{source};"]
        if s not in self.emitter.team_shared:
            return [f"{_reference(self.index, s)} = {source};"]
        declared = f"__shared__ {self.emitter.cxx(s.type, s.name)};  // firstprivate in the region, shared by the team"
        at = source if p.copy else f"&{source}"
        whole = p.copy or isinstance(p.type, Array)
        value = f"memcpy(&{p.name}, {at}, sizeof {p.name});" if whole else f"{p.name} = {source};"
        return [declared, value if self.generic else f"if (omp_get_thread_num() == 0)\n{value}"]

    def _privates(self) -> list[Symbol]:
        """Private variables that neither a clause of the construct nor its loop declares."""
        nest = self._nest()
        declared = (self._clause_privates() - set(self.plan.outer)) | (nest.counters if nest else set())
        return [s for s in self.plan.privates if s not in declared]

    def _hidden(self) -> set[Symbol]:
        """What nobody sees, as a construct of the chain has a private variable of that name."""
        implicit = [self.emitter.copies[id(d)] for d in self.chain if id(d) in self.emitter.copies]
        return self._clause_privates() | {s for c in implicit if c.kind == "private" for s in c.symbols}

    def _rows_of(self, s: Symbol) -> list[str]:
        """The lengths of an array that are no part of its elements' type in CUDA C++."""
        return self.plan.dims[s] if isinstance(s.type, Array) and is_vla(s.type.of) else []

    def _one_thread_writes(self, s: Symbol) -> None:
        """A copy that the team's threads share would have to be reached by all of them."""
        own = any(i.symbol is s and d.has("parallel") for d in self.chain for c in d.clauses for i in c.items)
        if not (self.generic or self.plan.single or own):
            why = "the threads of a team share it; copy it by hand"
            raise Problem(None, f"the variable-length array '{s.name}' of a region that is parallel as a whole", why)

    def _clause_privates(self) -> set[Symbol]:
        return {i.symbol for d in self.chain for c in d.all("private") for i in c.items if i.symbol is not None}

    def _reduced(self) -> set[Symbol]:
        return {i.symbol for d in self.chain for c in d.all("reduction") for i in c.items if i.symbol is not None}

    def _firstprivates(self) -> set[Symbol]:
        """What constructs inside the target construct copy, which the whole body sees."""
        below = [d for d in self.chain if not d.has("target")]
        found = {i.symbol for d in below for c in d.all("firstprivate") for i in c.items if i.symbol is not None}
        return found | {
            s for d in self.chain if id(d) in self.emitter.copies for s in self.emitter.copies[id(d)].symbols
        }

    def _written_values(self, values: set[Symbol]) -> set[Symbol]:
        """By-value parameters that are shared in the parallel construct and written there: one copy a team."""
        assert self.body is not None
        private = {i.symbol for d in self.chain for c in d.all(*PRIVATISING) for i in c.items
                   if d.has("parallel") or d.has("loop") or c.name != "firstprivate"}  # fmt: skip
        nest = self._nest()
        private |= nest.counters if nest else set()
        return {s for s in values & modified_in(self.body) if s not in private}

    def _nest(self) -> Nest | None:
        """The loops whose iterations are distributed; None for a block or a plain simd loop."""
        d = self._loop_directive()
        leaves = {c for x in self.chain for c in x.constructs}
        wanted = d is not None and (leaves & {"distribute", "for", "loop"} or d.clause("linear"))
        return nest_of(d, self.body) if d is not None and wanted else None

    def _loop_directive(self) -> Directive | None:
        return next((d for d in reversed(self.chain) if LOOP_CONSTRUCTS & set(d.constructs)), None)

    def _content(self, taken: set[Symbol | None]) -> list[Chunk]:
        """The body with its distribution and the copies of the construct's data-sharing clauses."""
        e, at = self.emitter, self.stmt.span.start
        assert self.body is not None
        directive = self._loop_directive()
        leaves = {c for d in self.chain for c in d.constructs}
        together = not (self.generic or self.plan.single)
        nest = self._nest()
        original = {
            p.symbol: f"ompls_p_{p.name}"
            for p in self.plan.params
            if p.deref and p.symbol in taken and p.symbol is not None
        }
        data = data_of(e, self.chain, nest, team=together, original=original, body=self.body if self.generic else None)
        if nest is None or directive is None:
            last = self.chain[-1]
            if self.plan.promotion is not None:
                write(e, self.body, self.plan.promotion)
                content = _trimmed(self.rw.render(inner(self.body, self._taken())))
            elif last.constructs[-1] in CHOOSING:
                self.rw.replace(self.body.span, *chosen(e, last, self.body, "parallel" if together else "master", data))
                content = _trimmed(self.rw.render(self.body.span))
            else:
                e.visit(self.body, "parallel" if together else "master")
                content = _trimmed(self.rw.render(inner(self.body, self._taken())))
            return [Chunk(data.opening(), at, False), *content, Chunk("\n" + data.closing().rstrip("\n"), at, False)]
        e.visit(nest.body, "parallel" if together else "master")
        source = (
            "one"
            if not leaves & {"distribute", "for", "loop"}
            else "distribute"
            if not together
            else "league"
            if leaves & {"distribute"} or leaves >= {"teams", "loop"}
            else "all"
        )
        if source == "one" or "simd" in leaves:
            keep_counters(e, nest, data, {p.symbol for p in self.plan.params if p.deref or source == "one"})
        before, body, after = loop_parts(e, self.chain, nest, source, data)  # type: ignore[arg-type]
        content = _trimmed(self.rw.render(body))
        tail = Chunk(after.rstrip("\n") + "\n" + data.closing().rstrip("\n"), at, False)
        return [Chunk(data.opening() + before, at, False), *content, tail]


def _block(lines: list[str]) -> str:
    return "{\n" + "".join(f"{x}\n" for x in lines)
