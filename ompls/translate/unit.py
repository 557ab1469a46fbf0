"""One translation unit on its way to a bundle: plans, kernel files, host file, manifest entry."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from ompls.analysis.dataenv.listitems import unfit_items
from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.encoding import encoded
from ompls.analysis.model.ast import AsmStmt, DirectiveStmt, Name, OtherExpr, OtherStmt, Span, nodes
from ompls.analysis.model.repeats import listed_twice, repeats
from ompls.analysis.model.tu import TU, FileDirective, Item, Region
from ompls.analysis.rules.support.written import name_of
from ompls.analysis.source import OPENMP_DATES, Location
from ompls.analysis.spec import is_declarative
from ompls.analysis.spec.data_clauses import PARTS, WHOLE
from ompls.analysis.spec.devices import DeviceSpec
from ompls.translate import capability
from ompls.translate.abi import abi_of
from ompls.translate.bundle import directory_of
from ompls.translate.classes import Targets, classes_of
from ompls.translate.covering import cover, uncover
from ompls.translate.functions import exported, in_other_units, needs_of_function, refuse_copies
from ompls.translate.host import DATA_CALLS, Host
from ompls.translate.launchonly import launch_only
from ompls.translate.layouts import refuse_packed
from ompls.translate.lowering import lower
from ompls.translate.lowering.back import as_written
from ompls.translate.mode import choose_mode
from ompls.translate.needs import Index, Needs, needs_of
from ompls.translate.onlyread import only_read
from ompls.translate.output import OutLine, Places, line_map, text_of, with_line_directives
from ompls.translate.partials import add_partials, drop_partials
from ompls.translate.plan import RegionPlan
from ompls.translate.planning import plan_region
from ompls.translate.problem import RULE, Problem
from ompls.translate.selfnamed import refuse_self_named, self_named
from ompls.translate.symbols import global_symbol, unit_symbol
from ompls.translate.target import HOST, KernelClass, Target
from ompls.translate.uses import directives_in


class Unit:
    """Translates one TU.  `problems` are what stands in the way; with any of them there is no output.

    What is newer than the compilers is lowered for each target; where a transformation set sees another text than the
    host does, its kernels come from a Unit of its own (`_twin`).
    """

    def __init__(
        self, tu: TU, name: str, devices: Sequence[DeviceSpec], targets: Targets, target: Target = HOST
    ) -> None:
        self.original, self.name, self.devices = tu, name, devices
        self.old = bool(target.version)
        self.device = ", ".join(device.name for device in devices)  # as messages say it
        old = {device.kernel_class: device.openmp for device in devices if device.openmp}
        self.classes = [
            replace(s, version=target.version or old.get(s.name, "")) if s.openmp else s
            for s in classes_of(devices, targets)
        ]
        self.sets = self.classes if not target.on_device else []
        self.problems: list[Diagnostic] = []
        self.tu, unable = lower(tu, target)
        self.lowered = not unable  # else what follows from the rest of the text would be said, too
        for where, item, problem in unable:
            at = as_written(tu, where, where.locate(item, problem.span or Span(0, 1)))
            self.problems.append(diagnostic(problem, at, self.device))
        self._refuse_self_named()
        self.index, self.places = Index(self.tu), Places(self.tu)
        self.index.kinds.exact = any(device.abi for device in devices)
        self.plans: dict[int, RegionPlan] = {}
        self.needs: dict[int, Needs] = {}
        self._others: dict[str, Unit] = {}
        if not target.on_device and not self.problems:
            for s in self.sets:
                other = Unit(tu, name, devices, targets, s)
                if other.tu.expanded != self.tu.expanded:
                    self._others[s.name] = other
                self.problems += [p for p in other.problems if p not in self.problems]

    def _refuse_self_named(self) -> None:
        """In the text that was lowered, if it was; else in what the host's half puts back."""
        tu = self.original
        made = self_named(tu)
        for item in tu.items if made else []:
            for stmt in item.content.directives:
                try:
                    refuse_self_named(tu, made, item, stmt, copied=self.tu is not tu)
                except Problem as p:
                    found = diagnostic(p, tu.locate(item, stmt.directive.span), self.device)
                    self.problems += [found] if found not in self.problems else []

    def _twin(self, s: KernelClass, region: Region) -> tuple[Unit, Item, Region] | None:
        """The region in the text that a set sees, when that is another one."""
        other = self._others.get(s.name)
        if other is None:
            return None
        return next((other, item, twin) for item, twin in other.regions() if twin.id == region.id)

    def lead(self, item: Item, region: Region) -> tuple[Unit, Item, Region]:
        """The region whose plan the host follows: as a device sees it, where that is another text."""
        twins = (self._twin(s, region) for s in self.sets)
        return next((t for t in twins if t is not None), (self, item, region))

    def check(self) -> bool:
        """Whether compilers take the directives between the functions, and devices here have what they ask for."""
        for f in self.tu.directives:
            d = f.directive
            for c in d.clauses if d.name == "requires" else []:
                if c.name in _REQUIREMENTS:
                    self._refuse(f, c.span, f"requires {c.name}", _REQUIREMENTS[c.name])
            for name in d.undeclared if is_declarative(d.name) and self.tu.declarations_known else ():
                self._refuse(f, name.span, f"`{name.name}`", "it is not declared")
        return not self.problems

    def check_text(self) -> None:
        """Whether compilers take what stands in regions and around them."""
        for item in self.tu.items:
            whole = Span(0, item.end - item.start)
            self.guarded(item, whole, lambda i=item, s=whole: self._refuse_mistakes(i, s))  # type: ignore[misc]

    def _refuse(self, f: FileDirective, span: Span, what: str, why: str) -> None:
        where = as_written(self.original, self.tu, self.tu.locate(f, span))
        self.problems.append(diagnostic(Problem(span, what, why), where, self.device))

    def regions(self) -> Iterator[tuple[Item, Region]]:
        for item in self.tu.items if self.lowered else []:
            for region in item.content.regions:
                yield item, region

    def prepare(self, item: Item, region: Region) -> bool:
        """Plan one region.  False: there is a problem."""

        def make() -> None:
            self._refuse_mistakes(item, region.stmt.span)
            _refuse_what_was_not_understood(region)
            _refuse_nested_functions(item, region)
            plan = plan_region(self.tu, item, region, self.kernel_name(region))
            plan.team_memory = min((d.team_memory for d in self.devices if d.team_memory), default=0)
            self.needs[id(region)] = needs_of(self.index, plan)
            choose_mode(plan, self.index, self.needs[id(region)])
            if all(s.covers for s in self.classes):
                cover(plan)
            if all(s.partials for s in self.classes):
                add_partials(plan, self.tu.model)
            plan.only_read, plan.restrict = only_read(self.tu, plan, self.needs[id(region)])
            self.plans[id(region)] = plan

        good = self.guarded(item, region.stmt.directive.span, make)
        for unit, its, twin in filter(None, (self._twin(s, region) for s in self.sets)):
            good = unit.prepare(its, twin) and good
            self.problems += unit.problems
            unit.problems = []
        if good:
            self._same_launch([self._twin(s, region) or (self, item, region) for s in self.sets])
        return good

    def _same_launch(self, places: Sequence[tuple[Unit, Item, Region]]) -> None:
        """The host makes one launch for all sets: unless all agree on the grid's dimensions, it has one, and what the
        kernel of some set writes is not only read."""
        plans = [unit.plans[id(seen)] for unit, _, seen in places]
        for p in plans:
            p.only_read = p.only_read.intersection(*(q.only_read for q in plans))
        if len({p.dimensions for p in plans}) > 1:
            for p in plans:
                p.in_one_dimension()
                uncover(p)
        if len({p.covered for p in plans}) > 1:
            for p in plans:
                uncover(p)
        if any(p.partials.keys() != plans[0].partials.keys() for p in plans):
            for p in plans:
                drop_partials(p)
        idle = [launch_only(p) for p in plans] if all(s.covers for s in self.classes) else []
        for (unit, _, _), p in zip(places, plans, strict=True):
            p.leave_out(set.intersection(*idle) if idle else ())
            p.identify(unit.index.kinds.c)

    @cached_property
    def _as_written(self) -> dict[str, DirectiveStmt]:
        """The regions before they were lowered, if they were, by their ids."""
        items = self.original.items if self.original is not self.tu else []
        return {r.id: r.stmt for item in items for r in item.content.regions}

    def _of(self, s: KernelClass) -> list[DeviceSpec]:
        """The devices whose kernels a set makes."""
        return [device for device in self.devices if device.kernel_class == s.name]

    def kernel_name(self, region: Region) -> str:
        return f"ompls_{unit_symbol(self.tu, self.name)}_{region.id}"

    def kernel(self, s: KernelClass, item: Item, region: Region) -> list[OutLine]:
        """The lines of one kernel file; none when there is a problem."""
        out: list[OutLine] = []
        found = self._twin(s, region)
        led, _, its = self.lead(item, region)
        if found is not None:
            out = found[0].kernel(s, *found[1:])
            self.problems += found[0].problems
            found[0].problems = []
        if (found[0] if found else self) is not led:
            mine = found[0].plans[id(found[2])] if found else self.plans[id(region)]
            self._same_call(item, region, mine, led.plans[id(its)])
        if found is not None:
            return out
        plan, needs = self.plans[id(region)], self.needs[id(region)]

        def make() -> None:
            capability.check(self._of(s), plan, needs, self.tu.model)
            if region.id in self._as_written:
                capability.check_as_written(self._of(s), self._as_written[region.id])
            refuse_packed(item, region.stmt.span)
            for where, f in needs.functions:
                refuse_packed(where, f.span)
            out.extend(s.kernel(self.index, self.places, plan, replace(needs, devices=self._of(s))))

        self.guarded(item, region.stmt.directive.span, make)
        return out

    def _same_call(self, item: Item, region: Region, mine: RegionPlan, led: RegionPlan) -> None:
        """The host makes one call for all sets: the kernels of each have to take the same."""

        def make() -> None:
            model = self.tu.model
            if [(p.name, p.index, p.size(model)) for p in mine.params] != [
                (p.name, p.index, p.size(model)) for p in led.params
            ]:
                why = "it has other variables on each of these devices"
                raise Problem(region.directive.span, "this construct", why)

        self.guarded(item, region.directive.span, make)

    def guarded(self, item: Item | FileDirective, span: Span, work: Callable[[], None]) -> bool:
        try:
            work()
        except Problem as p:
            where = as_written(self.original, self.tu, self.tu.locate(p.item or item, p.span or span))
            found = diagnostic(p, where, self.device)
            self.problems += [found] if found not in self.problems else []
            return False
        return True

    def _refuse_mistakes(self, item: Item, within: Span) -> None:
        """What no compiler takes.  With a missing header a name may come from it; what we make of a directive would not
        show gcc a second clause."""
        declaring = [s.directive.span for s in item.content.directives if is_declarative(s.directive.name)]
        for name in item.content.undeclared if self.tu.declarations_known else ():
            if any(s.start <= name.span.start < s.end for s in (within, *declaring)):
                raise Problem(name.span, f"`{name.name}`", "it is not declared")
        for member in item.content.unknown_members if self.tu.declarations_known else ():
            raise Problem(member.field_span, f"`{member.field}`", "no structure has it there")
        for stmt in item.content.directives:
            if within.start <= stmt.directive.span.start < within.end:
                for clause, _ in repeats(stmt.directive):
                    raise Problem(clause.span, f"the second `{clause.name}`", "nobody can tell which one counts")
                for clause, bad, message in unfit_items(
                    stmt.directive, WHOLE | PARTS
                ):  # others are told where they are used
                    raise Problem(bad.span, f"`{bad.text}` in `{clause.name}`", message)
                for symbol, before, (clause, listed) in listed_twice(stmt.directive):
                    why = f"`{before[0].name}` lists it, too, and nobody can tell which one counts"
                    raise Problem(listed.span, f"`{symbol.name}` in `{clause.name}`", why)

    def translate(self) -> tuple[dict[str, str], dict[str, Any]]:
        """(files, manifest entry).  Only to be used when `problems` is empty afterwards."""
        self.check()
        self.check_text()
        files: dict[str, str] = {}
        kernels = []
        for item, region in self.regions():
            if not self.prepare(item, region):
                continue
            led, its, twin = self.lead(item, region)
            kernel = led._kernel_entry(its, twin)
            for s in self.sets:
                of, _, mine = self._twin(s, region) or (self, item, region)
                called = (x.name for x in in_other_units(self._of(s), of.needs[id(mine)]))
                kernel["externals"] = sorted({*kernel["externals"], *called})
                lines = with_line_directives(self.kernel(s, item, region))
                path = f"kernels/{s.name}/{self.kernel_name(region)}.{s.extension}"
                files[path] = text_of(lines)
                kernel["files"][s.name] = path
                kernel["line_map"][s.name] = [list(x) for x in line_map(lines, kernel["file"])]
            kernels.append(kernel)
        for item, region in self.regions():
            span = region.stmt.directive.span
            self.guarded(item, span, lambda: refuse_copies(self.needs.values()))
            break
        entry = {
            "source": self.tu.path, "host": f"host/{self.name}.c", "headers": {}, "kernels": kernels,
            "openmp": OPENMP_DATES[self.original.settings.openmp], "abi": abi_of(self.original.snapshot.predefined),
        }  # fmt: skip
        if self.problems:
            return {}, entry
        leads = {id(r): self.lead(i, r) for i, r in self.regions()}
        seen = {k: (unit.tu, unit.plans[id(twin)]) for k, (unit, _, twin) in leads.items()}
        types = {k: needs.types for k, needs in self.needs.items()}
        host = Host(self.name, self.index, self.places, self.plans, seen, types=types, old=self.old)
        for item in self.tu.items:
            for stmt in item.content.directives:
                self.guarded(item, stmt.directive.span, lambda i=item, s=stmt: self._construct(host, i, s))  # type: ignore[misc]
        for f in self.tu.directives:
            self.guarded(f, f.directive.span, lambda f=f: host.file_directive(f))  # type: ignore[misc]
        repeated = host.edits.repeated()
        for item in self.tu.items if repeated else []:
            if self.problems:
                break  # the others are the same
            for stmt in item.content.directives:
                self.guarded(item, stmt.directive.span, lambda i=item, s=stmt: host.refuse_repeated(i, s, repeated))  # type: ignore[misc]
        if self.problems:
            return {}, entry
        made, copies = host.files()
        files.update(made)
        entry["headers"] = copies
        entry["functions"] = self._functions(files)
        entry["includes_from"] = directory_of(self.tu.path)
        entry["globals"] = host.globals()
        entry["constructs"] = [
            {"construct": c.directive, "line": c.line, "file": c.file,
             "maps": [{"name": i.name, "flags": list(i.flags)} for i in c.items]}
            for c in host.constructs if c.directive == "target data" or c.directive in DATA_CALLS
        ]  # fmt: skip
        return files, entry

    def _construct(self, host: Host, item: Item, stmt: DirectiveStmt) -> None:
        capability.check_moved(self.devices, stmt.directive, self.tu.model)
        host.construct(item, stmt)

    def _functions(self, files: dict[str, str]) -> list[dict[str, Any]]:
        """The functions that kernels of other units may call; their texts join `files`."""
        out: dict[str, dict[str, Any]] = {}
        for s in self.sets:
            unit = self._others.get(s.name, self)  # whose text is the one that this set sees
            for item, f in exported(unit.tu):
                needs = needs_of_function(unit.index, item, f)
                new: dict[str, Any] = {"name": f.symbol.name, "files": {}, "externals": [], "reason": ""}
                entry = out.setdefault(f.symbol.name, new)
                parallel = any(d.directive.has("parallel") for _, g in needs.functions for d in directives_in(g))
                entry["parallel"] = parallel or entry.get("parallel", False)
                try:
                    capability.check_functions(self._of(s), needs, unit.tu.model)
                    for where, g in needs.functions:
                        refuse_packed(where, g.span)
                    refuse_copies([needs, needs])  # the kernels of this unit and those of others
                    lines = with_line_directives(
                        s.function(unit.index, unit.places, replace(needs, devices=self._of(s)), f)
                    )
                except Problem as p:
                    entry["reason"] = f"{p.what}: {p.why}"
                    continue
                path = f"functions/{s.name}/{unit_symbol(self.tu, self.name)}_{f.symbol.name}.{s.extension}"
                files[path] = text_of(lines)
                entry["files"][s.name] = path
                entry["externals"] = sorted(
                    {*entry["externals"], *(x.name for x in in_other_units(self._of(s), needs))}
                )
        return list(out.values())

    def _kernel_entry(self, item: Item, region: Region) -> dict[str, Any]:
        """The manifest's entry of one kernel, before its files are made."""
        plan, needs = self.plans[id(region)], self.needs[id(region)]
        file, line = self.places.line(item, region.stmt.span.start)
        end = self.places.line(item, region.stmt.span.end - 1)
        launch = plan.launch
        return {
            "name": plan.kernel, "region": region.id, "id": plan.id, "function": region.function, "line": line,
            "end_line": end[1] if end[0] == file else line, "file": file, "mode": plan.mode, "files": {},
            "params": [{"name": p.name, "kind": p.kind, "size": p.size(self.tu.model), "align": p.align(self.tu.model),
                        "ctype": self.index.kinds.c(p.type)} for p in plan.params],
            "only_read": [p.name for p in plan.params if p.name in plan.only_read],
            "maps": [
                {"name": name_of(self.tu, item, m.item) if m.item else v.symbol.name, "variable": v.symbol.name,
                 "type": m.map_type, "sharing": v.sharing, "implicit": m.item is None, "why": v.why,
                 "section": v.section}
                for v in region.variables for m in v.maps
            ] + [
                {"name": v.symbol.name, "variable": v.symbol.name, "type": "", "sharing": v.sharing,
                 "implicit": v.implicit, "why": v.why, "section": v.section}
                for v in region.variables if not v.maps
            ],
            "globals": [global_symbol(self.tu, s) for s in needs.globals.values()],
            "externals": [],
            "launch": {"num_teams": launch.num_teams, "thread_limit": launch.thread_limit,
                       "num_threads": launch.num_threads, "trip_count": launch.trip_count},
            "constructs": plan.constructs(), "line_map": {},
        }  # fmt: skip


_REQUIREMENTS = {
    "reverse_offload": "a region on a device cannot start one on the host",
}


def unplaced(units: Sequence[Unit]) -> list[Diagnostic]:
    """The variables that kernels of one unit use, and another one defines without a `declare target`."""
    used = {
        s.name: unit.tu for unit in units for needs in unit.needs.values()
        for s in needs.globals.values() if not s.defined and not s.from_system_header
    }  # fmt: skip
    found = []
    for unit in units if used else ():
        for name in sorted(used.keys() & unit.index.variables.keys()):
            (item, d), s = unit.index.variables[name], unit.tu.symbols.get(name)
            if s is not None and s.defined and not s.declare_target and s.storage != "static":
                what = f"'{name}' is not under declare target where it is defined"
                why = f"kernels of {os.path.basename(used[name].path)} use it, where it is"
                message = f"{what}: {why}; put it under declare target here, too"
                found.append(Diagnostic(RULE, "error", message, unit.tu.locate(item, d.span)))
    return found


def diagnostic(p: Problem, where: Location, device: str) -> Diagnostic:
    """A Problem as people read it."""
    return Diagnostic(RULE, "error", f"{p.what} cannot be translated for {device}: {p.why}", where)


def _refuse_what_was_not_understood(region: Region) -> None:
    """What a statement that was not understood uses is not known, so neither is what to map."""
    for node in nodes(region.stmt):
        if isinstance(node, (OtherStmt, OtherExpr)) and not isinstance(node, AsmStmt):
            what = "this statement" if isinstance(node, OtherStmt) else "this expression"
            raise Problem(node.span, what, node.why or "it could not be read as C that has a meaning on every device")


def _refuse_nested_functions(item: Item, region: Region) -> None:
    """A function inside of a function (GNU C), which is no C of ours: it reaches variables that a kernel has not."""
    unknown = [n for n in nodes(region.stmt) if isinstance(n, Name) and n.symbol is None]
    inside = [n for n in nodes(item.content.node) if isinstance(n, OtherStmt)] if unknown else []
    for name in unknown:
        defined = re.compile(rb"\b%s\s*\([^;{]*\{" % encoded(name.name))
        if any(defined.search(item.content.text, n.span.start, n.span.end) for n in inside):
            why = "it belongs to the function that it is in, which no kernel is; move it out of there"
            raise Problem(name.span, f"the nested function '{name.name}'", why)
