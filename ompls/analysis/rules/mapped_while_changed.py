"""One thread of a team copies a variable to or from a device while another changes or uses it on the host."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.ordering.model import Clash
from ompls.analysis.rules.support.ordering.report import chosen, other_place, severity


def check(scene: Scene) -> Iterator[Finding]:
    """Decided when the two are in different sections (or pieces of a team's work) and touch the same elements."""
    for clash in chosen(scene, _is_each):
        name = clash.two.symbol.name
        message = (
            f"`{name}` is changed by a region of each thread of the team at the same time, and nothing orders them"
        )
        yield Finding(clash.two.span, message, severity(clash))
    for clash in chosen(scene, _is_ours):
        name, one, two = clash.two.symbol.name, clash.one.touch, clash.two
        copied, other = (one, two) if one.copy else (two, one)
        way = "to" if copied.read else "from"
        done = "may change" if other.write else "may read"
        if two is copied:
            message = f"`{name}` is copied {way} the device here while another thread {done} it"
        else:
            message = f"`{name}` is {'changed' if two.write else 'read'} here while another thread may copy it {way} the device"
        yield Finding(two.span, message, severity(clash), other_place(clash, scene))


def _is_each(clash: Clash) -> bool:
    """Every thread of the team begins the same region, on the same data."""
    return clash.kind == "self" and clash.other is not None and clash.other.device


def _is_ours(clash: Clash) -> bool:
    return clash.kind == "threads" and (clash.one.touch.copy or clash.two.copy)


RULE = Rule(
    id="mapped-while-changed",
    severity="warning",
    title="Data is copied to or from a device while another thread of the host works on it",
    why="""
A device construct reads what it copies to the device, and writes what it copies back. Other threads of the same team must
not write the first, nor touch the second, at the same time: what the region sees, and what is left in the variable, would
depend on luck. Put the two in one thread, or a barrier between them.
""",
    section="1.4.1",
    group="sharing",
    about="clashes",
    bad=(
        """
void f(int n, int *a, int *c) {
    #pragma omp parallel sections
    {
        #pragma omp section
        #pragma omp target teams distribute parallel for map(to: a[0:n]) map(from: c[0:n])
        for (int i = 0; i < n; i++)
            c[i] = a[i];
        #pragma omp section
        for (int i = 0; i < n; i++)
            a[i] = 3;
        //  ^^^^ warning: `a` is changed here while another thread may copy it to the device
    }
}
""",
        """
void f(int n, int *a) {
    #pragma omp parallel
    {
        #pragma omp for nowait
        for (int i = 0; i < n; i++)
            a[i] = i;
        #pragma omp single
        #pragma omp target update to(a[0:n])
        //                           ^^^^^^ warning: `a` is copied to the device here while another thread may change it
    }
}
""",
        """
void f(int n, int *a) {
    #pragma omp parallel
    {
        #pragma omp target map(tofrom: a[0:n])
        for (int i = 0; i < n; i++)
            a[i] += i;
        //  ^^^^ warning: `a` is changed by a region of each thread of the team at the same time, and nothing orders them
    }
}
""",
    ),
    good=(
        """
int omp_get_thread_num(void);
void f(int n, int (*a)[16]) {
    #pragma omp parallel
    {
        int t = omp_get_thread_num();
        #pragma omp target map(tofrom: a[t:1])
        for (int i = 0; i < 16; i++)
            a[t][i] += i;
    }
}
""",
        """
void f(int n, int *a, int *b, int *c) {
    #pragma omp parallel sections
    {
        #pragma omp section
        #pragma omp target teams distribute parallel for map(to: a[0:n]) map(from: c[0:n])
        for (int i = 0; i < n; i++)
            c[i] = a[i];
        #pragma omp section
        for (int i = 0; i < n; i++)
            b[i] = 3;
    }
}
""",
        """
void f(int n, int *a) {
    #pragma omp parallel
    {
        #pragma omp for
        for (int i = 0; i < n; i++)
            a[i] = i;
        #pragma omp single
        #pragma omp target update to(a[0:n])
    }
}
""",
        """
void f(int n, int *a, int *c) {
    #pragma omp parallel sections
    {
        #pragma omp section
        #pragma omp target teams distribute parallel for map(to: a[0:n]) map(from: c[0:n])
        for (int i = 0; i < n; i++)
            c[i] = a[i];
        #pragma omp section
        for (int i = n; i < 2 * n; i++)
            c[i] = a[i];
    }
}
""",
        """
void f(int n, int *a, int *c) {
    #pragma omp parallel sections
    {
        #pragma omp section
        {
            for (int i = 0; i < n; i++)
                a[i] = 3;
            #pragma omp target map(to: a[0:n]) map(from: c[0:n])
            for (int i = 0; i < n; i++)
                c[i] = a[i];
        }
    }
}
""",
        """
void f(int n, int *a) {
    #pragma omp parallel
    {
        int mine[4] = {0};
        #pragma omp masked
        #pragma omp target map(tofrom: mine)
        mine[0] = 1;
        mine[1] = a[n];
    }
}
""",
        """
void f(int n, const int *a, int *c, int *d) {
    #pragma omp parallel sections
    {
        #pragma omp section
        #pragma omp target map(to: a[0:n]) map(from: c[0:n])
        for (int i = 0; i < n; i++)
            c[i] = a[i];
        #pragma omp section
        #pragma omp target map(to: a[0:n]) map(from: d[0:n])
        for (int i = 0; i < n; i++)
            d[i] = a[i];
    }
}
""",
    ),
    check=check,
)
