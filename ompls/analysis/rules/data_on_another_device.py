"""A construct without `device` in a `target data` construct that maps its data on another device.

A hint: the default device, which the environment chooses, may be the one that the data construct names.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import DataElsewhere, UpdateAbsent
from ompls.analysis.model.omp import Clause
from ompls.analysis.rules.support.edits import with_clause
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import Noticed, certain, events, finding


def check(scene: Scene) -> Iterator[Finding]:
    absent = [found.event.site.span for found in certain(scene, UpdateAbsent)]
    for found in events(scene, DataElsewhere):
        at = found.event.site.span
        directive = next((d for d in scene.directives if d.name_span == at), None)
        if directive is None or any(directive.span.start <= s.start and s.end <= directive.span.end for s in absent):
            continue
        clause = _clause(scene, found)
        around = f"device({clause.text})" if clause is not None else ""
        message = (
            f"`{directive.name}` without `device` is for the default device, but `{found.event.name}` is mapped on "
        )
        message += f"`{around}`" if around else "what was the default device before"
        quotes = ((around, clause.span),) if clause is not None else ()
        yield finding(found, message, "hint", *((with_clause(directive, around, quotes),) if around else ()))


def _clause(scene: Scene, found: Noticed) -> Clause | None:
    """The `device` clause of the data construct."""
    return next((c for d in scene.directives for c in d.all("device") if c.span == found.here[0][0]), None)


RULE = Rule(
    id="data-on-another-device",
    group="mapping",
    severity="hint",
    title="Data are mapped on one device, and the construct inside runs on another",
    why="""
`device(d)` on `target data` says where the data go; it says nothing of the constructs inside. A `target` without `device` runs on the default device, finds nothing
there, and copies its data itself; at the end of the data construct, what device `d` still has overwrites the results. Each construct inside needs the clause.
""",
    section="13.2",
    about="events",
    bad=(
        """
int main(void) {
    double x[100], y[100];
    for (int i = 0; i < 100; i++)
        x[i] = i;
    #pragma omp target data device(1) map(to: x) map(from: y)
    {
        #pragma omp target teams distribute parallel for
        //          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ hint: `target teams distribute parallel for` without `device` is for the default device, but `y` is mapped on `device(1)`
        for (int i = 0; i < 100; i++)
            y[i] = 2 * x[i];
    }
    return y[3] > 5;
}
""",
        """
void f(double *x, int n, int devices) {
    for (int d = 0; d < devices; d++) {
        #pragma omp target data device(d) map(tofrom: x[0:n])
        {
            #pragma omp target map(tofrom: x[0:n])
            //          ^^^^^^ hint: `target` without `device` is for the default device, but `x` is mapped on `device(d)`
            for (int i = 0; i < n; i++)
                x[i] = 2 * x[i];
            #pragma omp target update from(x[0:n])
            //          ^^^^^^^^^^^^^ hint: `target update` without `device` is for the default device, but `x[0:n]` is mapped on `device(d)`
        }
    }
}
""",
        """
void f(double *x, double *y, int n, int d) {
    #pragma omp target data device(d) map(tofrom: x[0:n])
    {
        #pragma omp target data map(to: y[0:n])
        {
            #pragma omp target
            //          ^^^^^^ hint: `target` without `device` is for the default device, but `x` is mapped on `device(d)`
            for (int i = 0; i < n; i++)
                x[i] += y[i];
        }
    }
}
""",
        """
void omp_set_default_device(int);
void f(double *x, int n) {
    #pragma omp target data map(tofrom: x[0:n])
    {
        omp_set_default_device(1);
        #pragma omp target
        //          ^^^^^^ hint: `target` without `device` is for the default device, but `x` is mapped on what was the default device before
        x[0] = 1;
    }
}
""",
    ),
    good=(
        """
void f(double *x, int n, int d) {
    #pragma omp target data device(d) map(tofrom: x[0:n])
    {
        #pragma omp target device(d)
        for (int i = 0; i < n; i++)
            x[i] = 2 * x[i];
        #pragma omp target update from(x[0:n]) device(d)
    }
}
""",
        """
void omp_set_default_device(int);
void f(double *x, int n, int d) {
    omp_set_default_device(d);
    #pragma omp target data device(d) map(tofrom: x[0:n])
    {
        #pragma omp target
        for (int i = 0; i < n; i++)
            x[i] = 2 * x[i];
    }
}
""",
        """
int omp_get_default_device(void);
void f(double *x, int n) {
    #pragma omp target data device(omp_get_default_device()) map(tofrom: x[0:n])
    {
        #pragma omp target
        x[0] = 1;
    }
}
""",
        """
void f(double *x, double *y, int n, int d) {
    #pragma omp target data device(d) map(tofrom: x[0:n])
    {
        #pragma omp target map(tofrom: y[0:n])
        for (int i = 0; i < n; i++)
            y[i] = 2 * y[i];
        #pragma omp target device(0) map(tofrom: x[0:n])
        x[0] = 1;
    }
}
""",
        """
void f(double *x, int n, int d) {
    #pragma omp target data device(d) map(tofrom: x[0:n])
    {
        #pragma omp target device(d)
        x[1] = 1;
    }
    #pragma omp target map(tofrom: x[0:n])
    x[0] = 1;
}
""",
        """
void f(double *x, int n) {
    #pragma omp target data map(tofrom: x[0:n])
    {
        #pragma omp target
        x[1] = 1;
        #pragma omp target device(0)
        x[0] = 1;
    }
}
""",
    ),
    check=check,
)
