"""A directive, clause or word that is newer than the version of OpenMP that the program is written for."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.diagnostic import Severity
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.newer import newer_words
from ompls.analysis.spec.versions import DEFAULT_VERSION, is_newer

_UNDERSCORES = "6.0"  # in the names of directives


def check(scene: Scene) -> Iterator[Finding]:
    version = scene.unit.settings.openmp
    # An earlier version than the default was chosen by somebody; against the default it is good to know, no more.
    severity: Severity = "warning" if version < DEFAULT_VERSION else "hint"
    for directive in scene.directives:
        if not directive.known:
            continue
        for span, what, since in newer_words(directive, version):
            yield Finding(span, f"{what} came with OpenMP {since}; this is checked against {version}", severity)
        if directive.underscored and is_newer(_UNDERSCORES, version):
            message = (
                f"`{directive.underscored}` with underscores came with OpenMP {_UNDERSCORES}, and older compilers pass over"
                f" it; this is checked against {version}"
            )
            change = Change(f"Change to `{directive.name}`", directive.name_span, directive.name)
            yield Finding(directive.name_span, message, severity, (), (change,))


RULE = Rule(
    id="newer-than-version",
    severity="warning",
    title="A word that the chosen version of OpenMP does not have",
    why="""
A compiler for OpenMP 4.5 does not know `masked`, `loop` or `map(present: …)`: it refuses the pragma or, worse, skips it. The
setting `ompls.openmpVersion` (`openmp` in a project file) says which version the program is written for. With the default
this is a hint, since nobody asked.
""",
    section="B",
    group="portability",
    about="directives",
    bad=(
        """
// OpenMP 4.5
void f(int n, float *x) {
    #pragma omp target map(present, tofrom: x[0:n])
    //                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning: `present` in `map` came with OpenMP 5.1; this is checked against 4.5
    x[0] = n;
    #pragma omp masked
    //          ^^^^^^ warning: `masked` came with OpenMP 5.1; this is checked against 4.5
    x[0] = n;
    #pragma omp simd if(n > 4)
    //               ^^ warning: `if` on `simd` came with OpenMP 5.0; this is checked against 4.5
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, float *x) {
    #pragma omp target teams loop map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] = 0;
    #pragma omp parallel firstprivate(saved: n)
    //                   ^^^^^^^^^^^^^^^^^^^^^^ hint: `saved` in `firstprivate` came with OpenMP 6.0; this is checked against 5.2
    x[0] = n;
    #pragma omp target data map(x[0:n]) nowait
    //                                  ^^^^^^ hint: `nowait` on `target data` came with OpenMP 6.0; this is checked against 5.2
    x[1] = n;
}
""",
        """
void f(int n, float *x) {
    #pragma omp stripe sizes(4)
    //          ^^^^^^ hint: `stripe` came with OpenMP 6.0; this is checked against 5.2
    for (int i = 0; i < n; i++) x[i] = 0;
    #pragma omp for induction(step(2), +: n)
    //              ^^^^^^^^^ hint: the clause `induction` came with OpenMP 6.0; this is checked against 5.2
    for (int i = 0; i < 8; i++) x[n] = 0;
    #pragma omp target teams distribute firstprivate(teams: n)
    //                                  ^^^^^^^^^^^^^^^^^^^^^^ hint: the directive-name modifier `teams` came with OpenMP 6.0; this is checked against 5.2
    for (int i = 0; i < 8; i++) ;
}
""",
        """
// OpenMP 5.1
#pragma omp begin declare_target
//          ^^^^^^^^^^^^^^^^^^^^ warning: `begin declare_target` with underscores came with OpenMP 6.0, and older compilers pass over it; this is checked against 5.1
int g;
#pragma omp end declare target
void f(int n, float *x) {
    #pragma omp target exit_data map(from: x[0:n])
    //          ^^^^^^^^^^^^^^^^ warning: `target exit_data` with underscores came with OpenMP 6.0, and older compilers pass over it; this is checked against 5.1
}
""",
        """
void f(int n, float *x) {
    #pragma omp target_enter_data map(to: x[0:n])
    //          ^^^^^^^^^^^^^^^^^ hint: `target_enter_data` with underscores came with OpenMP 6.0, and older compilers pass over it; this is checked against 5.2
}
""",
        """
// OpenMP 6.0
void f(int n, float *x) {
    #pragma omp target dyn_groupprivate(n) device_type(any) priority(2)
    //                 ^^^^^^^^^^^^^^^^ hint: the clause `dyn_groupprivate` came with OpenMP 6.1; this is checked against 6.0
    x[0] = n;
}
""",
    ),
    good=(
        """
// OpenMP 6.0
void f(int n, float *x) {
    #pragma omp target_enter_data map(to: x[0:n])
    #pragma omp target_exit_data map(from: x[0:n])
}
""",
        """
void f(int n, float *x) {
    int s = 0;
    #pragma omp for simd schedule(simd: static)
    for (int i = 0; i < n; i++) x[i] = 0;
    #pragma omp for schedule(nonmonotonic, simd: dynamic, 4) reduction(task, +: s)
    for (int i = 0; i < n; i++) s += i;
}
""",
        """
void f(int n, float *x) {
    #pragma omp target teams loop bind(teams) map(present, tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, float *x) {
    #pragma omp masked filter(1)
    x[0] = n;
    #pragma omp scope firstprivate(n)
    x[0] = n;
}
""",
        """
void f(int n, float *x) {
    #pragma omp for ordered(1)
    for (int i = 0; i < n; i++) {
        #pragma omp ordered doacross(sink: i - 1)
        x[i] = 0;
        #pragma omp ordered doacross(source:)
    }
}
""",
        """
int g;
#pragma omp declare target enter(g) device_type(any)
void f(int n) {
    #pragma omp target parallel if(target: n > 3) if(parallel: n > 4)
    g = n;
}
""",
        """
void f(int n, float *x) {
    #pragma omp target ompx_attribute(launch_bounds(64)) map(ompx_hold, tofrom: x[0:n])
    x[0] = n;
    #pragma omp target teams num_teams(2: 4)
    ;
}
""",
        """
void f(int n, int *x) {
    #pragma omp target parallel for private(n) map(x[0:8])
    for (int i = 0; i < 8; i++) { n = i; x[i] = n; }
    #pragma omp target update to(present: x[0:n]) nowait
}
""",
        """
// OpenMP 4.5
void f(int n, float *x) {
    #pragma omp parallel for simd if(n > 4)
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
    ),
    check=check,
    needs="text",
)
