"""Results that several devices have, and that are released in a loop over them.

Where a loop's variable is the number of a device, it is not followed what each of them has. So this looks at the whole function:
nothing in it brings the array back, no other code gets its address, and the host reads it next. Therefore a hint.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.machine.outside import is_harmless
from ompls.analysis.dataenv.paths import named_in, root
from ompls.analysis.dataenv.uses import Use, uses
from ompls.analysis.model import ast
from ompls.analysis.model.ast import FunctionDef, Node, Span, Symbol
from ompls.analysis.model.omp import Clause, Directive, ListItem
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import SHARED_MEMORY, other_type
from ompls.analysis.spec.known import KNOWN

_LETS_GO = ("release", "delete")
_KEEPS = ("to", "alloc", "storage", *_LETS_GO)  # map types that bring nothing back
_FREES = frozenset(name for name, row in KNOWN.items() if row.frees is not None and not row.allocates)


def check(scene: Scene) -> Iterator[Finding]:
    function = scene.function
    if function is None or scene.unit.told.requires & SHARED_MEMORY:
        return
    for directive, _, item in _released(scene, function):
        symbol = root(item.expr)
        if symbol is None or symbol.kind not in ("var", "param") or _comes_back(scene, symbol):
            continue
        written, read = _written(scene, symbol, directive), _next(scene, function, symbol, directive)
        if written is not None and read is not None:
            message = f"what the devices have written to `{item.text}` is not copied back: nothing here does that, and it is released"
            related = ((written.span, "written on a device here"), (read.span, "the host reads old values here"))
            yield Finding(
                item.span, message, "hint", related, other_type(scene, item.span, item.text, "from", safe=False)
            )


def _released(scene: Scene, function: FunctionDef) -> Iterator[tuple[Directive, Clause, ListItem]]:
    """The list items that `target exit data` lets go on a device whose number a loop around counts."""
    found = [d for d in scene.directives if d.name == "target exit data" and d.clause("device") is not None]
    loops = [n for n in function.body.walk() if isinstance(n, ast.For)] if found else []
    for directive in found:
        number = {s for c in directive.all("device") for arg in c.args for s in named_in(arg)}
        around = [n for n in loops if _within(directive.span, n.span)]
        if any(n.step is not None and number & named_in(n.step) for n in around):
            for clause in directive.all("map"):
                for item in clause.items if clause.keyword in _LETS_GO else ():
                    yield directive, clause, item


def _comes_back(scene: Scene, symbol: Symbol) -> bool:
    """Whether a directive of the function copies any of it from a device, or a function that it calls may."""
    calls = scene.content.calls if scene.content is not None else ()
    if symbol.level == "file" and not all(is_harmless(called.name) for called in calls):
        return True
    return any(
        root(item.expr) is symbol and (clause.name == "from" or (clause.name == "map" and clause.keyword not in _KEEPS))
        for directive in scene.directives
        for clause in directive.clauses
        for item in clause.items
    )


def _written(scene: Scene, symbol: Symbol, before: Directive) -> Node | None:
    """Where a region for a device with a number writes what is present there."""
    for region in scene.content.regions if scene.content is not None else ():
        variable = next((v for v in region.variables if v.symbol is symbol), None)
        if variable is None or region.tainted or region.directive.clause("device") is None:
            continue
        if variable.sharing == "mapped" and region.stmt.span.start < before.span.start:
            writes = [n for n in variable.writes if not isinstance(n, ast.Name)]
            if writes:
                return min(writes, key=lambda n: n.span)
    return None


def _next(scene: Scene, function: FunctionDef, symbol: Symbol, after: Directive) -> Node | None:
    """The host's next access of it, when that reads; None too where other code may have copied it."""
    regions = [r.stmt.span for r in scene.content.regions] if scene.content is not None else []
    own = [*regions, *(d.span for d in scene.directives)]
    if any(_is_handed_out(n, symbol) for n in function.body.walk()):
        return None
    on_host = [u for u in uses(function.body) if u.symbol is symbol and not any(_within(u.node.span, s) for s in own)]
    later = [u for u in on_host if u.node.span.start > after.span.end and _touches(u)]
    first = min(later, key=lambda u: u.node.span, default=None)
    return first.node if first is not None and first.read and first.certain else None


def _is_handed_out(node: Node, symbol: Symbol) -> bool:
    """Whether a call, or another pointer, gets its address."""
    given: tuple[ast.Expr | None, ...] = ()
    if isinstance(node, ast.Call):
        name = node.function.name if isinstance(node.function, ast.Name) else ""
        given = () if name in _FREES else node.args
    elif isinstance(node, ast.Assign):
        given = (node.value,)
    elif isinstance(node, ast.VarDecl):
        given = (node.init,)
    return any(u.escapes and u.symbol is symbol for expr in given if expr is not None for u in uses(expr))


def _touches(use: Use) -> bool:
    """Whether it is an element that is accessed, not the pointer."""
    return not isinstance(use.node, ast.Name)


def _within(span: Span, around: Span) -> bool:
    return around.start <= span.start and span.end <= around.end


RULE = Rule(
    id="results-released",
    group="mapping",
    severity="hint",
    title="What devices have written is released in a loop over them",
    why="""
`target exit data map(release: x[…]) device(d)` ends the copy on device `d` and copies nothing back. Where regions have written to it, and the host reads the array
afterwards, each device's part has to come back: `map(from: x[…])`, or `target update from(x[…])` before.
""",
    section="13.7",
    about="directives",
    bad=(
        """
void f(double *x, double *sum, int n, int devices) {
    int part = n / devices;
    for (int d = 0; d < devices; d++) {
        #pragma omp target enter data map(to: x[d * part:part]) device(d)
    }
    for (int d = 0; d < devices; d++) {
        #pragma omp target teams distribute parallel for device(d)
        for (int i = d * part; i < (d + 1) * part; i++)
            x[i] = 2 * x[i];
    }
    for (int d = 0; d < devices; d++) {
        #pragma omp target exit data map(release: x[d * part:part]) device(d)
        //                                        ^^^^^^^^^^^^^^^^ hint: what the devices have written to `x[d*part:part]` is not copied back: nothing here does that, and it is released
    }
    for (int i = 0; i < n; i++)
        *sum += x[i];
}
""",
        """
int printf(const char *, ...);
int omp_get_num_devices(void);
static int marks[1000];
int main(void) {
    for (int d = 0; d < omp_get_num_devices(); d++) {
        #pragma omp target enter data map(alloc: marks[100 * d:100]) device(d)
        #pragma omp target device(d)
        for (int i = 100 * d; i < 100 * d + 100; i++)
            marks[i] = d;
    }
    for (int d = 0; d < omp_get_num_devices(); d++) {
        #pragma omp target exit data map(delete: marks[100 * d:100]) device(d)
        //                                       ^^^^^^^^^^^^^^^^^^ hint: what the devices have written to `marks[100*d:100]` is not copied back: nothing here does that, and it is released
    }
    printf("%d", marks[5]);
    return 0;
}
""",
    ),
    good=(
        """
void f(double *x, double *sum, int n, int devices) {
    int part = n / devices;
    for (int d = 0; d < devices; d++) {
        #pragma omp target enter data map(to: x[d * part:part]) device(d)
        #pragma omp target device(d)
        x[d * part] = d;
    }
    for (int d = 0; d < devices; d++) {
        #pragma omp target exit data map(from: x[d * part:part]) device(d)
    }
    *sum += x[0];
}
""",
        """
void f(double *x, double *sum, int n, int devices) {
    for (int d = 0; d < devices; d++) {
        #pragma omp target enter data map(to: x[0:n]) device(d)
        #pragma omp target device(d)
        x[d] = d;
        #pragma omp target update from(x[d:1]) device(d)
    }
    for (int d = 0; d < devices; d++) {
        #pragma omp target exit data map(release: x[0:n]) device(d)
    }
    *sum += x[0];
}
""",
        """
void f(double *x, double *y, int n, int devices) {
    for (int d = 0; d < devices; d++) {
        #pragma omp target enter data map(to: x[0:n]) map(alloc: y[0:n]) device(d)
        #pragma omp target device(d)
        y[d] = x[d];
    }
    for (int d = 0; d < devices; d++) {
        #pragma omp target exit data map(release: x[0:n]) map(from: y[d:1]) device(d)
    }
    y[0] += x[0];
}
""",
        """
void collect(double *, int);
void f(double *x, double *sum, int n, int devices) {
    for (int d = 0; d < devices; d++) {
        #pragma omp target enter data map(to: x[0:n]) device(d)
        #pragma omp target device(d)
        x[d] = d;
        collect(x, d);
    }
    for (int d = 0; d < devices; d++) {
        #pragma omp target exit data map(release: x[0:n]) device(d)
    }
    *sum += x[0];
}
""",
        """
static int marks[1000];
static void collect(int d) {
    #pragma omp target update from(marks[100 * d:100]) device(d)
}
int main(void) {
    for (int d = 0; d < 4; d++) {
        #pragma omp target enter data map(alloc: marks[100 * d:100]) device(d)
        #pragma omp target device(d)
        marks[100 * d] = d;
        collect(d);
    }
    for (int d = 0; d < 4; d++) {
        #pragma omp target exit data map(delete: marks[100 * d:100]) device(d)
    }
    return marks[5];
}
""",
        """
void free(void *);
void f(double *scratch, double *sum, int n, int devices) {
    for (int d = 0; d < devices; d++) {
        #pragma omp target enter data map(alloc: scratch[0:n]) device(d)
        #pragma omp target device(d) map(from: sum[d:1])
        {
            scratch[0] = d;
            sum[d] = scratch[0];
        }
    }
    for (int d = 0; d < devices; d++) {
        #pragma omp target exit data map(delete: scratch[0:n]) device(d)
    }
    scratch[0] = 1;
    *sum += scratch[0];
    free(scratch);
}
""",
    ),
    check=check,
)
