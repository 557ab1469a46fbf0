"""`nowait` and `depend` in the host file: dependences as `ompls_depend` lists, and where the host waits.

In serial code libgomp runs every task at once and knows nothing of deferred device constructs, so what waits for tasks
there asks the runtime first (runtime/core/tasks.c); in a team the same calls know that libgomp does it.
"""

from __future__ import annotations

from dataclasses import dataclass

from ompls.analysis.dataenv.designators import is_value
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.model.tu import TU, Item
from ompls.translate.ctext import place_of
from ompls.translate.iterators import iterators_of, looped
from ompls.translate.problem import Problem

# ompls_depend.kind
KINDS = {"in": 1, "out": 2, "inout": 3, "mutexinoutset": 4, "inoutset": 5, "depobj": 6}
_BARRIER_AT_END = frozenset(("for", "sections", "single", "scope"))


@dataclass(frozen=True)
class Dependences:
    """The `depend` clauses of one construct: statements that make the list, and the last two arguments of the calls."""

    lines: tuple[str, ...] = ()
    count: str = "0"
    array: str = "0"

    @property
    def arguments(self) -> str:
        return f"{self.count}, {self.array}"

    def wait(self, function: str = "ompls_wait_depend") -> list[str]:
        """Statements that wait until a construct that runs in place may do so."""
        return [*self.lines, f"{function}({self.arguments});"] if self.lines else []


def dependences(tu: TU, item: Item, d: Directive, name: str) -> Dependences:
    """What the construct's `depend` clauses say; `name` makes the variables' names.  Raises Problem."""
    clauses = d.all("depend")
    if not clauses:
        return Dependences()
    fixed: list[str] = []
    filled: list[str] = []
    room: list[str] = []
    lines: list[str] = []
    for k, clause in enumerate(clauses):
        if clause.broken or clause.keyword not in KINDS:
            why = clause.broken or f"'{clause.keyword}' is no dependence type of a task"
            raise Problem(clause.span, f"the clause 'depend({clause.text})'", why)
        for e in clause.items:
            if clause.keyword != "depobj" and is_value(e.expr):
                raise Problem(e.span, f"the list item '{e.text}'", "it is an expression, which has no address")
        entries = [_entry(tu, item, clause, e.expr, e.text) for e in clause.items]
        iterators = iterators_of(clause)
        if not iterators:
            fixed += entries
            continue
        for i, it in enumerate(iterators):
            lines.append(f"const long __ompls_c_{name}_{k}_{i} = {it.count};")
        room.append(" * ".join([str(len(entries)), *(f"__ompls_c_{name}_{k}_{i}" for i in range(len(iterators)))]))
        add = " ".join(f"__ompls_n_{name}[__ompls_nn_{name}++] = (struct __ompls_depend){e};" for e in entries)
        counts = [f"__ompls_c_{name}_{k}_{i}" for i in range(len(iterators))]
        filled.append(looped(iterators, counts, f"{name}_{k}", add))
    if not filled:
        return Dependences(
            (f"const struct __ompls_depend __ompls_n_{name}[] = {{{', '.join(fixed)}}};",),
            str(len(fixed)),
            f"__ompls_n_{name}",
        )
    most = " + ".join([str(len(fixed) + 1), *room])
    lines += [
        f"unsigned __ompls_nn_{name} = 0; struct __ompls_depend __ompls_n_{name}[{most}];",
        *(f"__ompls_n_{name}[__ompls_nn_{name}++] = (struct __ompls_depend){e};" for e in fixed),
        *filled,
    ]
    return Dependences(tuple(lines), f"__ompls_nn_{name}", f"__ompls_n_{name}")


def _entry(tu: TU, item: Item, clause: Clause, expr: ast.Expr, text: str) -> str:
    if text == "omp_all_memory":
        return f"{{(const void *)0, {KINDS[clause.keyword]}}}"
    if isinstance(expr, (ast.OtherExpr, ast.Shaping)):
        raise Problem(clause.span, f"the locator '{text}'", "it could not be read as C")
    begin = place_of(lambda e: tu.text(item, e.span), expr, tu.model).begin
    return f"{{(const void *)({begin}), {KINDS[clause.keyword]}}}"


def is_deferred(d: Directive) -> bool:
    """Whether a device construct may run beside the thread that meets it."""
    return any(
        c.text.strip() in ("", "1", "true") for c in d.all("nowait")
    )  # nowait(e) of OpenMP 6.0 allows, it asks nothing


def waits(tu: TU, item: Item, stmt: DirectiveStmt, name: str, *, orphaned: bool) -> tuple[list[str], str] | None:
    """What a host construct that waits for tasks needs: (statements before it, statements after it); None: nothing.

    orphaned -- a worksharing construct whose barrier may be one of serial code
    """
    d = stmt.directive
    if d.name == "taskwait" and not d.clause("nowait"):
        return dependences(tu, item, d, name).wait("ompls_wait_host_task") or ["ompls_taskwait();"], ""
    if d.name == "barrier":
        return ["ompls_taskwait();"], ""
    if d.name == "task" and d.clause("depend"):
        return dependences(tu, item, d, name).wait("ompls_wait_host_task"), ""
    if "parallel" in d.constructs:
        return None
    if "taskgroup" in d.constructs or ("taskloop" in d.constructs and not d.clause("nogroup")):
        begin = f"const unsigned long long __ompls_g_{name} = ompls_taskgroup_begin();"
        return [begin], f" ompls_taskgroup_end(__ompls_g_{name});"
    if orphaned and _BARRIER_AT_END & set(d.constructs) and not d.clause("nowait"):
        return [], " ompls_taskwait();"
    return None
