"""More threads than a team of the chosen device can have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Expr
from ompls.analysis.model.constants import fold
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.limits import by_limit, called, devices_in, regions_of


def check(scene: Scene) -> Iterator[Finding]:
    most = by_limit(list(devices_in(scene)), lambda device: device.threads)
    for region in regions_of(scene) if most else ():
        inside = [n for n in ast.nodes(region.stmt) if isinstance(n, DirectiveStmt)]
        for argument, number in _asked(inside):
            for has, names in most.items():
                if number > has:
                    yield Finding(argument.span, _message(number, has, names), "hint")
        for call, content in called(scene, region):
            for _, number in _asked(content.directives):
                for has, names in most.items():
                    if number > has:
                        yield Finding(call.span, f"in the function {_message(number, has, names)}", "hint")


def _asked(stmts: Iterable[DirectiveStmt]) -> Iterator[tuple[Expr, int]]:
    for stmt in stmts:
        clause = stmt.directive.clause("num_threads")
        argument = clause.args[0] if clause is not None and clause.args else None
        number = fold(argument) if argument is not None else None
        if argument is not None and number is not None:
            yield argument, number


def _message(number: int, has: int, names: str) -> str:
    return f"{number} threads are asked for; a team of {names} has {has} at most"


RULE = Rule(
    id="device-threads",
    severity="hint",
    group="device-limits",
    title="More threads than a team of the device can have",
    why="""
A team never gets more threads than the device has for one: 1,024 on a GPU, 16 on the cores of an Epiphany, which are fewer when
other kernels run there. OpenMP allows it to have fewer than `num_threads` says, so nothing is told when the program runs. Ask
`omp_get_num_threads()` in the region where the number matters.
""",
    section="10.1.1",
    about="regions",
    bad=(
        """
// Device epiphany
void f(int n, float *a) {
    #pragma omp target parallel for map(tofrom: a[0:n]) num_threads(64)
    //                                                              ^^ hint: 64 threads are asked for; a team of epiphany has 16 at most
    for (int i = 0; i < n; i++) a[i] = i;
}
""",
        """
// Device cuda
void f(int n, float *a) {
    #pragma omp target map(tofrom: a[0:n])
    {
        #pragma omp parallel for num_threads(2 * 1024)
        //                                   ^^^^^^^^ hint: 2048 threads are asked for; a team of cuda has 1024 at most
        for (int i = 0; i < n; i++) a[i] = i;
    }
}
""",
        """
// Device epiphany
static void fill(int n, float *a) {
    #pragma omp parallel for num_threads(32)
    for (int i = 0; i < n; i++) a[i] = i;
}
void f(int n, float *a) {
    #pragma omp target map(tofrom: a[0:n])
    fill(n, a);
//  ^^^^ hint: in the function 32 threads are asked for; a team of epiphany has 16 at most
}
""",
    ),
    good=(
        """
// Device epiphany
void f(int n, float *a) {
    #pragma omp target parallel for map(tofrom: a[0:n]) num_threads(16)
    for (int i = 0; i < n; i++) a[i] = i;
}
""",
        """
// Device cuda
void f(int n, float *a) {
    #pragma omp target parallel for map(tofrom: a[0:n]) num_threads(64)
    for (int i = 0; i < n; i++) a[i] = i;
}
""",
        """
// Device epiphany
void f(int n, int threads, float *a) {
    #pragma omp target parallel for map(tofrom: a[0:n]) num_threads(threads)
    for (int i = 0; i < n; i++) a[i] = i;
}
""",
        """
// Device epiphany
void f(int n, float *a) {
    #pragma omp parallel for num_threads(64)
    for (int i = 0; i < n; i++) a[i] = i;
    #pragma omp target map(tofrom: a[0:n])
    a[0] = 1;
}
""",
        """
// Device host
void f(int n, float *a) {
    #pragma omp target parallel for map(tofrom: a[0:n]) num_threads(4096)
    for (int i = 0; i < n; i++) a[i] = i;
}
""",
    ),
    check=check,
)
