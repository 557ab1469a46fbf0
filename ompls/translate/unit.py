"""One translation unit on its way to a bundle: plans, kernel files, host file, manifest entry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.model.ast import OtherExpr, OtherStmt, Span
from ompls.analysis.model.tu import TU, FileDirective, Item, Region
from ompls.analysis.source import Location
from ompls.translate import capability
from ompls.translate.bundle import directory_of
from ompls.translate.classes import TransformationSet
from ompls.translate.host import DATA_CALLS, Host
from ompls.translate.needs import Index, Needs, needs_of
from ompls.translate.output import OutLine, Places, line_map, text_of, with_line_directives
from ompls.translate.plan import RegionPlan, plan_region
from ompls.translate.problem import RULE, Problem
from ompls.translate.symbols import global_symbol, unit_symbol


class Unit:
    """Translates one TU.  `problems` are what stands in the way; with any of them there is no output."""

    def __init__(self, tu: TU, name: str, sets: list[TransformationSet], device: str) -> None:
        self.tu, self.name, self.sets, self.device = tu, name, sets, device
        self.index, self.places = Index(tu), Places(tu)
        self.problems: list[Diagnostic] = []
        self.plans: dict[int, RegionPlan] = {}
        self.needs: dict[int, Needs] = {}

    def check(self) -> bool:
        """Whether the directives between the functions ask for nothing that no device here has."""
        for f in self.tu.directives:
            d = f.directive
            if d.name == "declare mapper":
                self._refuse(f, d.name_span, "'declare mapper'", "list the members in the map clauses instead")
            for c in d.clauses if d.name == "requires" else []:
                if c.name in _REQUIREMENTS:
                    self._refuse(f, c.span, f"requires {c.name}", _REQUIREMENTS[c.name])
        return not self.problems

    def _refuse(self, f: FileDirective, span: Span, what: str, why: str) -> None:
        self.problems.append(diagnostic(Problem(span, what, why), self.tu.locate(f, span), self.device))

    def regions(self) -> Iterator[tuple[Item, Region]]:
        for item in self.tu.items:
            for region in item.content.regions:
                if region.stmt.directive.decided:  # else gcc chooses, and the region stays on the host
                    yield item, region

    def prepare(self, item: Item, region: Region) -> bool:
        """Plan one region.  False: there is a problem."""

        def make() -> None:
            _refuse_what_was_not_understood(region)
            plan = plan_region(self.tu, item, region, self.kernel_name(region))
            self.needs[id(region)] = needs_of(self.index, plan)
            plan.settle(self.index, self.needs[id(region)])
            self.plans[id(region)] = plan

        return self.guarded(item, region.stmt.directive.span, make)

    def kernel_name(self, region: Region) -> str:
        return f"ompls_{unit_symbol(self.tu, self.name)}_{region.id}"

    def kernel(self, s: TransformationSet, item: Item, region: Region) -> list[OutLine]:
        """The lines of one kernel file; none when there is a problem."""
        out: list[OutLine] = []
        plan, needs = self.plans[id(region)], self.needs[id(region)]

        def make() -> None:
            capability.check(s.device, plan, needs)
            out.extend(s.kernel(self.index, self.places, plan, needs))

        self.guarded(item, region.stmt.directive.span, make)
        return out

    def guarded(self, item: Item, span: Span, work: Callable[[], None]) -> bool:
        try:
            work()
        except Problem as p:
            where = self.tu.locate(item, p.span or span)
            self.problems.append(diagnostic(p, where, self.device))
            return False
        return True

    def translate(self) -> tuple[dict[str, str], dict[str, Any]]:
        """(files, manifest entry).  Only to be used when `problems` is empty afterwards."""
        self.check()
        files: dict[str, str] = {}
        kernels = []
        for item, region in self.regions():
            if not self.prepare(item, region):
                continue
            kernel = self._kernel_entry(item, region)
            for s in self.sets:
                lines = with_line_directives(self.kernel(s, item, region))
                path = f"kernels/{s.name}/{self.kernel_name(region)}.{s.extension}"
                files[path] = text_of(lines)
                kernel["files"][s.name] = path
                kernel["line_map"][s.name] = [list(x) for x in line_map(lines, kernel["file"])]
                kernel["barriers"] |= s.name == "gpu" and any(w in files[path] for w in _WAITING)
            kernels.append(kernel)
        entry = {"source": self.tu.path, "host": f"host/{self.name}.c", "headers": {}, "kernels": kernels}
        if self.problems:
            return {}, entry
        host = Host(self.index, self.places, self.plans, {k: p.mode.upper() for k, p in self.plans.items()})
        for item in self.tu.items:
            for stmt in item.content.directives:
                if not stmt.directive.decided:
                    continue
                self.guarded(item, stmt.directive.span, lambda i=item, s=stmt: host.construct(i, s))  # type: ignore[misc]
        if self.problems:
            return {}, entry
        made, copies = host.files(self.name)
        files.update(made)
        entry["headers"] = copies
        entry["includes_from"] = directory_of(self.tu.path)
        entry["globals"] = host.globals()
        entry["constructs"] = [
            {"construct": c.directive, "line": c.line, "file": c.file,
             "maps": [{"name": i.name, "flags": list(i.flags)} for i in c.items]}
            for c in host.constructs if c.directive == "target data" or c.directive in DATA_CALLS
        ]  # fmt: skip
        return files, entry

    def _kernel_entry(self, item: Item, region: Region) -> dict[str, Any]:
        """The manifest's entry of one kernel, before its files are made."""
        plan, needs = self.plans[id(region)], self.needs[id(region)]
        file, line = self.places.line(item, region.stmt.span.start)
        end = self.places.line(item, region.stmt.span.end - 1)
        launch = plan.launch
        return {
            "name": plan.kernel, "region": region.id, "function": region.function, "line": line,
            "end_line": end[1] if end[0] == file else line, "file": file, "mode": plan.mode, "files": {},
            "params": [{"name": p.name, "kind": p.kind, "size": p.size, "align": p.align,
                        "ctype": self.index.kinds.c(p.type)} for p in plan.params],
            "maps": [
                {"name": m.item.text if m.item else v.symbol.name, "variable": v.symbol.name, "type": m.map_type,
                 "sharing": v.sharing, "implicit": m.item is None, "why": v.why, "section": v.section}
                for v in region.variables for m in v.maps
            ] + [
                {"name": v.symbol.name, "variable": v.symbol.name, "type": "", "sharing": v.sharing,
                 "implicit": v.implicit, "why": v.why, "section": v.section}
                for v in region.variables if not v.maps
            ],
            "globals": [global_symbol(self.tu, s) for s in needs.globals.values()],
            "launch": {"num_teams": launch.num_teams, "thread_limit": launch.thread_limit,
                       "num_threads": launch.num_threads, "trip_count": launch.trip_count},
            "constructs": plan.constructs(), "barriers": False, "line_map": {},
        }  # fmt: skip


_WAITING = (
    "ompls_barrier(", "ompls_loop_begin(", "ompls_latest(", "ompls_reduce<", "ompls_target_begin(",
    "__syncthreads(", "ompls_parallel",
)  # fmt: skip


_REQUIREMENTS = {
    "reverse_offload": "a region on a device cannot start one on the host",
}


def diagnostic(p: Problem, where: Location, device: str) -> Diagnostic:
    """A Problem as people read it."""
    return Diagnostic(RULE, "error", f"{p.what} cannot be translated for {device}: {p.why}", where)


def _refuse_what_was_not_understood(region: Region) -> None:
    """What a statement that was not understood uses is not known, so neither is what to map."""
    for node in region.stmt.walk():
        if isinstance(node, (OtherStmt, OtherExpr)):
            what = "this statement" if isinstance(node, OtherStmt) else "this expression"
            raise Problem(node.span, what, "it could not be read as C that has a meaning on every device")
