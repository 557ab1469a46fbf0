"""Directives, each by its kind, and the data directives: `target data`, `enter data`, `exit data`, `update`."""

from __future__ import annotations

from ompls.analysis.dataenv.faults import HostPointer
from ompls.analysis.dataenv.machine.mappers import Mapped
from ompls.analysis.dataenv.machine.objects import Around
from ompls.analysis.dataenv.machine.regions import Regions
from ompls.analysis.dataenv.machine.routines import INITIAL, lent
from ompls.analysis.dataenv.machine.values import Loc, Obj, Site, Value
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.omp import Clause, Directive


class Directives(Regions):
    """`directive` does what a directive and its body do."""

    def directive(self, stmt: ast.DirectiveStmt) -> None:
        directive = stmt.directive
        region = next((r for r in self.frame.content.regions if r.stmt is stmt), None)
        if self.region is not None and (region is not None or directive.name.startswith("target")):
            self.not_understood(stmt)  # reverse offload
        elif region is not None:
            self.target(region)
        elif directive.name == "target data":
            self.data(stmt)
        elif directive.name in ("target enter data", "target exit data", "target update"):
            self.transfer(directive)
        else:
            self.construct(stmt)

    # --- data directives

    def transfer(self, directive: Directive) -> None:
        """`target enter data`, `target exit data`, `target update`."""
        assert self.now is not None
        (applies, choice), device = self.applies(directive), self.device_of(directive)
        if applies is False or device is None or device == INITIAL or self.now is None:
            return
        before, doubt = self.without(applies, choice)
        self.doubts += doubt
        if directive.name == "target update":
            for clause in directive.all("to", "from"):
                for item in clause.items:
                    mapped = self.item(item, clause.name, clause)
                    self.is_elsewhere(directive, {loc.obj: mapped.name for loc in mapped.locs}, device)
                    self.update(mapped, device)
        else:
            entering = directive.name == "target enter data"
            items = self.mapped_by(directive.all("map"))
            for mapped in items:
                references = self.references(mapped, device)
                if entering:
                    self.enter(mapped, device, lasting=True)
                else:
                    self.leave(mapped, device, unstructured=True)
                self.recorder.count(mapped.site, references, self.references(mapped, device))
        self.settle()
        self.doubts -= doubt
        self.or_else(before, directive, choice)

    def data(self, stmt: ast.DirectiveStmt) -> None:
        """`target data`."""
        assert self.now is not None
        directive = stmt.directive
        (applies, choice), device = self.applies(directive), self.device_of(directive)
        if applies is False or device is None or device == INITIAL or self.now is None:
            self.statement(stmt.body)
            return
        before, _ = self.without(applies, choice)
        items = self.mapped_by(directive.all("map"))
        objs = {loc.obj: mapped.name for mapped in items for loc in mapped.locs}
        self.is_elsewhere(directive, objs, device)
        for mapped in items:
            self.enter(mapped, device)
        self.or_else(before, directive, choice)
        clause = directive.clause("device") or directive
        site = Site(self.frame.name, clause.span if isinstance(clause, Clause) else clause.name_span)
        self.frame.around.append(Around(site, device, frozenset(objs)))
        own, given = self.frame.own, self.lent_by(directive)
        self.frame.own = {**own, **given}
        self.statement(stmt.body)
        self.frame.own = own
        self.frame.around.pop()
        self.gone({obj for obj in given.values() if obj.kind == "variable"})
        if self.now is None:
            return
        before, doubt = self.without(applies, choice)
        self.doubts += doubt
        for mapped in reversed(items):
            self.leave(mapped, device)
        self.settle()
        self.doubts -= doubt
        self.or_else(before, directive, choice)

    def finds_nothing(self, value: Value, directive: Directive, site: Site, name: str) -> None:
        """Whether what a pointer in `use_device_ptr` points to is certainly not there: it keeps the host's address."""
        device = self.device_of(directive)
        if device is None or not isinstance(value, frozenset) or self.now is None:
            return
        absent = [
            cases is not None and target.obj.kind in ("heap", "variable") and not any(c.copies for c in cases)
            for target in value
            for cases in (self.cases_of(target.obj),)
        ]
        event = HostPointer(site, name, "certain", (), "use_device_ptr")
        self.judge(event, "bad" if absent and all(absent) else "fine")

    def lent_by(self, directive: Directive) -> dict[Symbol, Obj]:
        """Variables that name the device's storage inside of `use_device_ptr` and `use_device_addr`."""
        found: dict[Symbol, Obj] = {}
        for clause in directive.all("use_device_ptr", "use_device_addr"):
            for item in clause.items:
                symbol = item.symbol
                if symbol is None or self.now is None:
                    continue
                value = self.value(ast.Name(item.span, symbol.name, symbol, type=symbol.type))
                site = Site(self.frame.name, item.span)
                if clause.name == "use_device_ptr":
                    self.finds_nothing(value, directive, site, item.text)
                elif isinstance(item.expr, ast.Name) and isinstance(symbol.type, Pointer) and not symbol.declare_target:
                    itself = any(case.copies for case in self.cases_of(self.variable(symbol)) or ())
                    event = HostPointer(site, item.text, "certain", (), clause.name)
                    self.judge(event, "fine" if itself else "bad")
                if isinstance(value, frozenset):
                    for obj, _, _ in value:
                        if self.cases_of(obj) is not None:
                            self.lend(
                                Mapped("", [Loc(obj, None, None, symbol.type)], "", (), Site("", item.span), False)
                            )
                if clause.name == "use_device_addr" and not isinstance(symbol.type, Pointer):
                    original = self.variable(symbol)
                    found[symbol] = Obj("lent", original, symbol.name, of=original)
                else:
                    found[symbol] = self.substitute(symbol, lent(value, self.device_of(directive)), directive)
        return found
