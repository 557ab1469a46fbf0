"""The host file: the user's text with its device constructs rewritten in place.

The text stays byte for byte what it was, except: a construct's pragma becomes the call of the runtime and gcc's own
fallback around the same body; what a macro made is replaced by its rewritten expansion; a prologue declares the host
ABI and describes the constructs, an epilogue registers the unit.  `#line` keeps messages and debug information right
(hosttext.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ompls.analysis.dataenv.paths import may_exceed_its_type
from ompls.analysis.encoding import decoded, encoded
from ompls.analysis.model.ast import DirectiveStmt, FunctionDef, Symbol
from ompls.analysis.model.ctype import Array, Floating, Integer
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import TU, FileDirective, Item, Region
from ompls.translate.clauses import Fallback, fallback_of
from ompls.translate.ctext import size_of
from ompls.translate.graphs.written import Graphs
from ompls.translate.hostdata import Renaming, device_names, renamed, uses_to_rename
from ompls.translate.hosttasks import dependences, is_deferred, waits
from ompls.translate.hosttext import HostText
from ompls.translate.items import LIST, plan_items
from ompls.translate.launch import Launch
from ompls.translate.layouts import C, asserted, assertion
from ompls.translate.mappers import mappers_of
from ompls.translate.needs import Index
from ompls.translate.output import OutLine, Places, text_of, with_line_directives
from ompls.translate.plan import ARGS, KINDS, RegionPlan
from ompls.translate.pointees import pointers_in
from ompls.translate.problem import Problem
from ompls.translate.requires import shares_memory
from ompls.translate.structures import ItemPlan
from ompls.translate.symbols import global_symbol
from ompls.translate.templates import render
from ompls.translate.typetexts import TypeText

# For gcc these directives are no statements: like a declaration they may come before a declaration.
_NOTHING = "struct __ompls_nothing;"
_STATEMENTS = ("target enter data", "target exit data")  # but these are
DATA_CALLS = {
    "target enter data": "ompls_enter_data",
    "target exit data": "ompls_exit_data",
    "target update": "ompls_update",
}


@dataclass
class Construct:
    """One descriptor of the prologue."""

    id: str
    file: str
    line: int
    kernel: str
    mode: str
    items: list[ItemPlan]
    params: list[dict[str, object]] = field(default_factory=list)
    nvalues: int = 0
    nlists: int = 0
    kernel_id: str = ""
    directive: str = ""


@dataclass(frozen=True)
class Around:
    """What stands for a directive: `{ lines`, the pragma, its body if it has one, `end }`; `name` is its own."""

    name: str
    lines: list[str]
    pragma: Fallback | None = None
    end: str = ""


_ON_DEVICES = frozenset(("declare target", "begin declare target", "end declare target"))
_OLDER = {"enter": "to", "local": "to"}  # what gcc 12 calls a clause of `declare target`


# What lowering calls of <omp.h>, which the user's text need not include.
_ASKED = {
    "omp_get_default_device": "int omp_get_default_device(void)",
    "omp_set_default_device": "void omp_set_default_device(int)",
    "omp_get_num_devices": "int omp_get_num_devices(void)",
}


class Host:
    """Rewrites one unit."""

    def __init__(
        self,
        name: str,
        index: Index,
        places: Places,
        plans: dict[int, RegionPlan],
        leads: dict[int, tuple[TU, RegionPlan]],
        *,
        types: dict[int, list[TypeText]],
        old: bool = False,
    ) -> None:
        """`leads`: the plan by which a region is launched, which may be one of the text that the device sees.
        `types`: those that it uses.  `old`: the compiler has OpenMP 4.5."""
        self.old, self.types = old, types
        self.index, self.places, self.plans, self.leads = index, places, plans, leads
        self.tu: TU = index.tu
        self.text = HostText(name, self.tu, places)
        self.edits = self.text.edits
        self.constructs: list[Construct] = []
        self.mappers = mappers_of(self.tu)
        self.renamings: list[Renaming] = []
        self.nwaiting = 0
        self.graphs = Graphs(index, places)
        self.defers = any(is_deferred(s.directive) for i in self.tu.items for s in i.content.directives
                          if s.directive.has("target") or s.directive.name in DATA_CALLS)  # fmt: skip

    def files(self) -> tuple[dict[str, str], dict[str, str]]:
        """The host file and what it includes, by path in the bundle; (copy of a project header, the user's header)."""
        return self.text.files(self._prologue(), self._epilogue()), {c: path for path, c in self.text.copies.items()}

    # --- constructs ---------------------------------------------------------------------------------------------

    def construct(self, item: Item, stmt: DirectiveStmt) -> None:
        """Rewrite one directive, when it is a device construct.  Raises Problem."""
        d = stmt.directive
        region = next((r for r in item.content.regions if r.stmt is stmt), None)
        if region is not None:
            self._target(item, region)
        elif d.name == "target data":
            self._target_data(item, stmt)
        elif d.name in DATA_CALLS:
            self._stand_alone(item, stmt)
        elif d.name == "declare mapper":
            self._mapper(item, d)
        else:
            self._waiting(item, stmt)

    def refuse_repeated(self, item: Item, stmt: DirectiveStmt, repeated: set[int]) -> None:
        """Raises Problem for a construct of a header that says something else each time it is included."""
        first, last = item.start + stmt.directive.span.start, item.start + stmt.span.end
        if any(first <= x <= last for x in repeated):
            why = "its text is written once, for all inclusions: make it a macro, or a file for each of them"
            raise Problem(None, "this construct of a header that is included several times", why)

    def _waiting(self, item: Item, stmt: DirectiveStmt) -> None:
        """A host construct that waits for tasks: the runtime's deferred constructs are among them."""
        if any(r.stmt.span.start <= stmt.span.start < r.stmt.span.end for r in item.content.regions):
            return
        name = f"w{self.nwaiting + 1}"
        if (written := self.graphs.construct(item, stmt, name)) is not None:
            self.nwaiting += 1
            self._wrap(item, stmt, Around(name, *written))
            return
        around = [x.directive for x in item.content.directives if x.span.start < stmt.span.start < x.span.end]
        orphaned = self.defers and not any(d.has("parallel") for d in around)
        self.nwaiting += 1
        found = waits(self.tu, item, stmt, name, orphaned=orphaned)
        if found is None:
            return
        before, after = found
        as_it_is = Fallback(stmt.directive, stmt.directive.clauses, ())
        self._wrap(item, stmt, Around(name, before, as_it_is, after))

    def _target(self, item: Item, region: Region) -> None:
        seen, plan = self.leads[id(region)]
        c = self._describe(item, region.stmt, plan.items, region.id)
        c.kernel, c.mode = plan.kernel, plan.mode.upper()
        c.kernel_id = plan.id
        c.nvalues = len(plan.values)
        c.params = [
            {
                "name": p.name,
                "kind": "READ" if p.name in plan.only_read else p.kind.upper(),
                "number": len(KINDS) if p.name in plan.only_read else KINDS.index(p.kind),
                "index": p.index,
                "size": p.size(self.tu.model),
            }
            for p in plan.params
        ]
        lines = [
            f"__typeof__({p.name}) __ompls_f_{p.name}; __builtin_memcpy((void *)&__ompls_f_{p.name}, "
            f"(const void *)&{p.name}, sizeof {p.name});"
            for p in plan.params
            if p.copy
        ]
        lines += self._args(c)
        values = []
        for k, v in enumerate(plan.values):
            if v.lvalue:
                values.append(f"(const void *)&{v.expr}")
            else:
                lines.append(f"{v.type} __ompls_v{k}_{c.id} = {v.expr.replace(ARGS, f'__ompls_args_{c.id}')};")
                values.append(f"&__ompls_v{k}_{c.id}")
        if values:
            lines.append(f"const void *const __ompls_values_{c.id}[] = {{{', '.join(values)}}};")
        launch = plan.host_launch(seen, plan.evaluated(f"__ompls_v{{}}_{c.id}"))
        lines.append(
            f"const struct __ompls_launch __ompls_l_{c.id} = "
            f"{{(unsigned long long)({'0' if launch.trips else launch.trip_count}), (unsigned)({launch.num_teams}), "
            f"(unsigned)({launch.thread_limit}), (unsigned)({launch.num_threads}), {_grid(launch)}}};"
        )
        for name, t in (x for of in self.types[id(region)] if _is_local(of) for x in of.named):
            lines += assertion(name, t, C, self.index)
        arguments = f"{self._ref('args', c, c.items)}, {self._ref('values', c, values)}, &__ompls_l_{c.id}"
        depend = dependences(self.tu, item, region.directive, c.id)
        deferred = is_deferred(region.directive)
        at = f"&__ompls_r_{c.id}, {self._device(item, region.directive)}, {arguments}"
        recorded = self.graphs.target(item, region.stmt, c.id, lines, arguments) if deferred else None
        lines += depend.lines if deferred else depend.wait()
        if recorded is not None:
            lines += recorded.lines(depend)
        call = (recorded and recorded.call) or f"ompls_target{'_nowait' if deferred else ''}({at}"
        call += f", {depend.arguments})" if deferred else ")"
        # A loop and no `if`: what comes after the body is said before it, where the text is ours.
        ran, done = f"__ompls_t_{c.id}", f"ompls_target_done(&__ompls_r_{c.id})"
        lines.append(f"int {ran}; for ({ran} = {call}; !{ran}; {ran} = {done})")
        # The construct's own clauses, which are not those of `plan` where the device sees another text.
        known = {p.name: f"__ompls_v{p.index}_{c.id}" for p in (*plan.params, *plan.launch_only) if p.symbol is None}
        own = self.plans[id(region)].hoisted
        evaluated = {clause: known[name] for clause, name in own.items() if name in known}
        self._wrap(item, region.stmt, Around(c.id, lines, fallback_of(self.tu, item, region, evaluated)))

    def _target_data(self, item: Item, stmt: DirectiveStmt) -> None:
        c = self._describe(item, stmt, plan_items(self.tu, item, stmt.directive))
        device = self._device(item, stmt.directive)
        lines = dependences(self.tu, item, stmt.directive, c.id).wait() + self._args(c)
        lines.append(f"const long long __ompls_d_{c.id} = {device};")
        lines.append(
            f"struct ompls_env *__ompls_e_{c.id} = "
            f"ompls_data_begin(&__ompls_r_{c.id}, __ompls_d_{c.id}, {self._ref('args', c, c.items)});"
        )
        names = device_names(self.tu, item, stmt.directive, c.id)
        lines += names.lines
        if names.shadows:
            lines += ["{", *names.shadows]
        end = f"ompls_data_end(&__ompls_r_{c.id}, __ompls_e_{c.id});"
        if self._groups(item, stmt):
            lines.insert(0, f"const unsigned long long __ompls_g_{c.id} = ompls_taskgroup_begin();")
            lines.append("\n #pragma omp taskgroup\n")
            end = f"ompls_taskgroup_end(__ompls_g_{c.id}); {end}"
        self._wrap(item, stmt, Around(c.id, lines, None, "} " + end if names.shadows else end))
        for symbol, text in names.renamed.items():
            self.renamings.append(Renaming(item, stmt.span, symbol.name, text))
            for span in uses_to_rename(item, stmt, symbol):
                self.edits.replace(item.start + span.start, item.start + span.end, text)

    @staticmethod
    def _groups(item: Item, stmt: DirectiveStmt) -> bool:
        """Whether the end of a `target data` waits for what its body deferred (OpenMP 6.0 §15.7): it is a taskgroup."""
        inside = [x for x in item.content.directives if stmt.span.start < x.span.start < stmt.span.end]
        return not stmt.directive.clause("nogroup") and any(is_deferred(x.directive) for x in inside)

    def _stand_alone(self, item: Item, stmt: DirectiveStmt) -> None:
        c = self._describe(item, stmt, plan_items(self.tu, item, stmt.directive))
        call = DATA_CALLS[stmt.directive.name]
        device = self._device(item, stmt.directive)
        depend = dependences(self.tu, item, stmt.directive, c.id)
        arguments = f"&__ompls_r_{c.id}, {device}, {self._ref('args', c, c.items)}"
        if is_deferred(stmt.directive):
            made = [*depend.lines, f"ompls_data_nowait({call}, {arguments}, {depend.arguments});"]
        else:
            made = [*depend.wait(), f"{call}({arguments});"]
        lines = [*self._args(c), *made]
        self._wrap(item, stmt, Around(c.id, lines))

    def _describe(self, item: Item, stmt: DirectiveStmt, items: list[ItemPlan], region: str = "") -> Construct:
        path, line = self.places.line(item, stmt.span.start)
        c = Construct(
            region or f"d{len(self.constructs)}", path, line, "", "SPMD", items, directive=stmt.directive.name
        )
        self.constructs.append(c)
        return c

    def _args(self, c: Construct) -> list[str]:
        if not c.items:
            return []
        rows, filled = [], []
        for k, i in enumerate(c.items):
            pointer = f"(const void *)({i.attach})" if i.attach else "0"
            if "LIST" in i.flags:
                pointer = f"__ompls_list_{c.id}_{k}"
                filled += [f"struct ompls_list *{pointer} = 0;", i.fill.replace(LIST, f"&{pointer}")]
            rows.append(f"{{(const void *)({i.base}), (const void *)({i.begin}), {i.size}, {pointer}}}")
        c.nlists = len(filled) // 2
        return [*filled, f"const struct __ompls_arg __ompls_args_{c.id}[] = {{{', '.join(rows)}}};"]

    @staticmethod
    def _ref(name: str, c: Construct, rows: object) -> str:
        return f"__ompls_{name}_{c.id}" if rows else "0"

    def _device(self, item: Item, d: Directive) -> str:
        clause = d.clause("device")
        device = f"(long long)({self.tu.text(item, clause.args[-1].span)})" if clause and clause.args else "-2LL"
        for c in d.all("if"):
            if c.args and (not c.keyword or c.keyword.startswith("target")):
                return f"({self.tu.text(item, c.args[-1].span)}) ? {device} : -1LL"
        return device

    def _wrap(self, item: Item, stmt: DirectiveStmt, made: Around) -> None:
        text = renamed(" ".join(made.lines), self.renamings, item, stmt.span)
        whole = f"{{ {text}"
        if stmt.body is None:
            whole += " }" if stmt.directive.name in _STATEMENTS else f" }} {_NOTHING}"
        self.text.put(item, stmt.directive, f"{made.name}.begin", whole, made.pragma)
        if stmt.body is not None:
            self.text.close(item.start + stmt.span.end, f" {made.end} }}" if made.end else " }")

    def file_directive(self, f: FileDirective) -> None:
        """Spellings newer than the host's gcc, in the words that it knows.  Raises Problem."""
        d = f.directive
        text = decoded(self.tu.expanded[f.start : f.end])
        if d.name in _ON_DEVICES and self.old:  # OpenMP 4.5 asks more of what they name, and nobody needs them here
            self.edits.replace(f.start, f.end, "\n" * text.rstrip().count("\n"))
        elif d.name == "declare target" and any(c.name in ("enter", "local", "indirect") for c in d.clauses):
            listed = ((_OLDER.get(c.name, c.name), c.text) for c in d.clauses if c.name != "indirect")
            clauses = " ".join(f"{name}({text})" for name, text in listed if text)
            self.edits.replace(
                f.start, f.end, f"#pragma omp declare target {clauses}" + "\n" * text.rstrip().count("\n")
            )
        elif d.name == "begin declare target":
            self.edits.replace(f.start, f.end, "#pragma omp declare target")
        elif d.name == "declare mapper":
            self._mapper(f, d)
        elif d.name == "requires":
            self.edits.replace(f.start, f.end, "\n" * text.rstrip().count("\n"))

    def _mapper(self, place: Item | FileDirective, d: Directive) -> None:
        """A `declare mapper` becomes a function; one that was refused is needed by no construct."""
        start, end = place.start + d.span.start, place.start + d.span.end
        made = next((m for m in self.mappers.all if m.directive is d), None)
        if made is None:
            self.edits.replace(start, end, "\n" * decoded(self.tu.expanded[start:end]).count("\n"))
        else:
            self.text.put(place, d, made.function.removeprefix("__ompls_"), self.mappers.function(made))

    # --- prologue and epilogue ----------------------------------------------------------------------------------

    def _prologue(self) -> str:
        text, known = self.tu.expanded, self.tu.symbols
        asked = [made for name, made in _ASKED.items() if encoded(name) in text and name not in known]
        return render(
            "host_prologue.c.j2", constructs=self.constructs, source=self.tu.path, asked=asked,
            graphs=self.graphs.graphs, recorded=self.graphs.recorded,
        )  # fmt: skip

    def _epilogue(self) -> str:
        return text_of(with_line_directives([*self._asserted(), *self.graphs.functions])) + render(
            "host_epilogue.c.j2", constructs=self.constructs, source=self.tu.path, globals=(known := self.globals()),
            measured=self._measured(known), arrays=self._arrays() if self.constructs else (),
            pointers=pointers_in(self.index), shared_memory=shares_memory(self.tu),
        )  # fmt: skip

    def _asserted(self) -> list[OutLine]:
        """That gcc lays out what kernels use as was thought."""
        out: list[OutLine] = []
        seen: set[TypeText] = set()
        for item, region in ((i, r) for i in self.tu.items for r in i.content.regions):
            new = [t for t in self.types[id(region)] if t not in seen and not _is_local(t)]
            seen |= {*new}
            known = [replace(t, named=tuple(x for x in t.named if x[0] not in self.index.kinds.made)) for t in new]
            user = self.places.line(item, region.stmt.span.start)
            out += asserted(known, C, self.index, self.places, user)
        return out

    def _measured(self, known: list[dict[str, object]]) -> dict[int, str]:
        """By position in `known`, the sizes that gcc takes for no constants."""
        named = {k: str(g["name"]) for k, g in enumerate(known)}
        symbols = self.tu.symbols
        return {k: size_of(n, symbols[n]) for k, n in named.items() if may_exceed_its_type(symbols[n])}

    def _arrays(self) -> list[str]:
        """The file's arrays of numbers (of others a static one that nobody uses may need what there is not)."""
        return [name for name, (_, d) in self.index.variables.items() if _is_array_of_numbers(d.symbol)]

    def globals(self) -> list[dict[str, object]]:
        """The `declare target` variables that this unit defines, or no unit does: a library's (`stdout`)."""
        out: list[dict[str, object]] = []
        library = [s.name for s in self.tu.symbols.on_device() if s.from_system_header and s.kind == "var"]
        for name in (*self.index.variables, *library):
            s: Symbol | None = self.tu.symbols.get(name)
            if s is None or not s.declare_target or not (s.defined or s.from_system_header):
                continue
            size = sizeof(s.type, self.tu.model)
            if size is None:
                continue
            symbol, link = global_symbol(self.tu, s), s.declare_target == "link"
            out.append({"name": name, "symbol": symbol, "size": size, "link": link, "static": s.storage == "static"})
        return out


def _is_array_of_numbers(s: Symbol) -> bool:
    t = s.type
    while isinstance(t, Array) and t.length:
        t = t.of
    plain = s.defined and not s.thread_local and not s.from_system_header
    return plain and isinstance(s.type, Array) and isinstance(t, (Integer, Floating)) and "const" not in t.quals


def _is_local(t: TypeText) -> bool:
    return t.item is not None and isinstance(t.item.content.node, FunctionDef)


def _grid(launch: Launch) -> str:
    """The number of dimensions of the grid, with the iterations along each: of one, those inside of an iteration."""
    if not launch.trips:
        return f"1, {{{launch.inside or 0}}}"
    trips = ", ".join(f"(unsigned long long)({x})" for x in launch.trips)
    return f"{len(launch.trips)}, {{{trips}}}"
