"""What is asked of a construct each time that it is met, made ready once: a region of many tasks has few."""

from __future__ import annotations

from ompls.analysis.graphs.evaluated import Address, Evaluated, Frame, Placed, UnknownValue, Values
from ompls.analysis.graphs.footprint import Callee, Step, ValuesOf, run, touching
from ompls.analysis.graphs.here import Here
from ompls.analysis.graphs.mapped import mapped_by
from ompls.analysis.graphs.order import Access, Depend
from ompls.analysis.model.assigned import assigned_in
from ompls.analysis.model.ast import DirectiveStmt, Expr, Symbol
from ompls.analysis.model.omp import Directive

ListItem = tuple[str, Placed, str, Expr]  # of `depend`: the kind, its storage, how it is written
ON_DEVICE = ("target", "target enter data", "target exit data", "target update")


def makes_task(directive: Directive) -> bool:
    first = directive.constructs[:1]
    return directive.known and (
        directive.name in ON_DEVICE or (bool(first) and first[0] in ("target", "task", "taskloop"))
    )


def is_deferred(directive: Directive) -> bool:
    return (
        not directive.constructs or directive.constructs[0] in ("task", "taskloop") or bool(directive.clause("nowait"))
    )


class Construct:
    """A construct that makes a task, in the function of `here`.

    deferred -- unless its `if` clause says otherwise
    results -- variables that the task assigns for all: the others that it names are copies, of their values now
    items -- its list items with their kinds; None: some are of iterators or depend objects
    """

    def __init__(self, s: DirectiveStmt, here: Here, values_of: ValuesOf, callee: Callee) -> None:
        d, values = s.directive, here.values
        self.stmt, self.here, self.deferred = s, here, is_deferred(d)
        self.results = _results(s)
        self.items = _items(d, values)
        self.exclusive = self.items is None or any(kind == "mutexinoutset" for kind, *_ in self.items)
        self._condition = _condition(d, values)
        self._touching: list[Step] = touching(s, values, values_of, callee)
        self._maps = mapped_by(d, values)

    def depends(self, items: list[ListItem], f: Frame) -> list[Depend]:
        """The storage of `items`.  Raises NotStatic."""
        found = []
        for kind, place, text, e in items:
            try:
                found.append((kind, place(f), text))
            except UnknownValue:
                self.here.place(e, text, f)
        return found

    def is_undeferred(self, f: Frame) -> bool:
        if self._condition is None or not self.deferred:
            return not self.deferred
        try:
            return not self._condition(f)
        except UnknownValue:
            return False

    def accesses(self, f: Frame) -> tuple[Access, ...]:
        return run(self._touching, f) if self._touching else ()

    def maps(self, f: Frame) -> tuple[tuple[Address, int], ...]:
        found = []
        for place, size in self._maps:
            try:
                if (bytes_ := size(f)) is not None:
                    found.append((place(f), bytes_))
            except UnknownValue:
                continue
        return tuple(found)


def _results(s: DirectiveStmt) -> frozenset[Symbol]:
    shared = {i.symbol for c in s.directive.all("shared", "map") for i in c.items}
    assigned = assigned_in(s.body) if s.body is not None else set()
    return frozenset(x for x in assigned if x in shared or x.level == "file")


def _items(d: Directive, values: Values) -> list[ListItem] | None:
    depends = d.all("depend")
    if any(c.keyword == "depobj" or c.modifiers for c in depends):
        return None
    items = [(c.keyword, i) for c in depends for i in c.items]
    if any(i.text == "omp_all_memory" for _, i in items):
        return None
    return [(kind, values.place(i.expr), i.text, i.expr) for kind, i in items]


def _condition(d: Directive, values: Values) -> Evaluated | None:
    clause = d.clause("if")
    if clause is None or not clause.args or clause.keyword == "target":
        return None
    return values.value(clause.args[0])
