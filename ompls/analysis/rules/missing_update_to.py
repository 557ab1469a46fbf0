"""A region reads data that the host has written after they were copied.

Certain when on every path the host was the last to write an element that the region reads, and nothing has brought it over.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import OTHERS, DeviceStale, SentElsewhere
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import (
    Noticed,
    events,
    finding,
    firsts,
    region_at,
    risk_at,
    severity_of,
)
from ompls.analysis.rules.support.updates import update_of_written, update_to
from ompls.analysis.rules.support.updates_elsewhere import update_of_written_elsewhere, update_to_before_region


def check(scene: Scene) -> Iterator[Finding]:
    for found in firsts(events(scene, DeviceStale)):
        message = f"`{found.event.name}` has an old value on the device here: the host has written it since, and there is no `target update to` in between"
        yield finding(found, message, severity_of(found, scene), *_changes(scene, found))
    for found in firsts(events(scene, SentElsewhere)):
        message = f"`{found.event.name}` has an old value on this device: what the host has written since went to another device only"
        yield finding(found, message, severity_of(found, scene))


def _changes(scene: Scene, found: Noticed) -> tuple[Change, ...]:
    read = found.event.site.span
    region, risk = region_at(scene, read), risk_at(scene, read)
    if not risk:
        return update_to(scene, region.stmt, read) if region is not None else update_to_before_region(scene, read)
    if risk == OTHERS and found.here and region is not None:
        return update_of_written(scene, found.here[0][0])
    return update_of_written_elsewhere(scene, found) if risk == OTHERS else ()


RULE = Rule(
    id="missing-update-to",
    group="mapping",
    severity="warning",
    title="A region reads old values: the host has newer ones",
    why="""
A map clause for something that is present on the device already copies nothing, whatever its map type. What the host writes after the first copy reaches the device
with `target update to(x)` or with the `always` modifier. An update is for one device: of a variable in `declare target`, each device has a copy of its own.
""",
    section="13.8",
    about="events",
    bad=(
        """
int main(void) {
    int n = 10, a[100] = {0}, sum = 0;
    #pragma omp target data map(to: a)
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 100; i++)
            a[i] = i + k;
        #pragma omp target teams distribute parallel for reduction(+: sum) map(to: a)
        for (int i = 0; i < 100; i++)
            sum += a[i];
    //             ^^^^ warning: `a` has an old value on the device here: the host has written it since, and there is no `target update to` in between
    }
    return sum;
}
""",
        """
void *malloc(unsigned long);
float *field;
static void fill(float value) {
    for (int i = 0; i < 64; i++)
        field[i] = value;
}
int main(void) {
    float all = 0;
    field = malloc(64 * sizeof(float));
    fill(1);
    #pragma omp target enter data map(to: field[0:64])
    fill(2);
    #pragma omp target map(tofrom: all)
    for (int i = 0; i < 64; i++)
        all += field[i];
    //         ^^^^^^^^ warning: `field` has an old value on the device here: the host has written it since, and there is no `target update to` in between
    #pragma omp target exit data map(delete: field[0:64])
    return all > 0;
}
""",
        """
#pragma omp declare target
double factor;
#pragma omp end declare target
int main(void) {
    double x[10] = {1};
    factor = 3;
    #pragma omp target map(tofrom: x)
    x[0] *= factor;
    //      ^^^^^^ warning: `factor` has an old value on the device here: the host has written it since, and there is no `target update to` in between
    return x[0] > 0;
}
""",
        """
static double g[20][30];
static void edges(void) {
    for (int j = 0; j < 30; j++) {
        g[0][j] = 1;
        g[19][j] = 2;
    }
}
int main(void) {
    double s = 0;
    #pragma omp target enter data map(to: g)
    edges();
    #pragma omp target update to(g[0:1][0:30])
    #pragma omp target teams distribute parallel for reduction(+: s) map(tofrom: s)
    for (int j = 0; j < 30; j++)
        s += g[0][j] + g[19][j];
    //                 ^^^^^^^^ warning: `g` has an old value on the device here: the host has written it since, and there is no `target update to` in between
    #pragma omp target exit data map(delete: g)
    return s > 0;
}
""",
        """
void *malloc(unsigned long);
int main(void) {
    int *x = malloc(64 * sizeof(int)), all = 0;
    #pragma omp target enter data map(alloc: x[0:64])
    for (int i = 0; i < 64; i++)
        x[i] = i;
    #pragma omp target teams distribute parallel for reduction(+: all) map(tofrom: all)
    for (int i = 0; i < 64; i++)
        all += x[i];
    //         ^^^^ warning: `x` has an old value on the device here: the host has written it since, and there is no `target update to` in between
    #pragma omp target exit data map(delete: x[0:64])
    return all > 0;
}
""",
        """
#pragma omp declare target
double table[10];
static double get(int i) { return table[i]; }
//                                ^^^^^^^^ warning: `table` has an old value on this device: what the host has written since went to another device only
#pragma omp end declare target
int main(void) {
    double found = 0;
    for (int i = 0; i < 10; i++)
        table[i] = i;
    #pragma omp target update to(table) device(1)
    #pragma omp target device(0) map(from: found)
    found = get(3);
    return found > 2;
}
""",
        """
int scale = 1;
#pragma omp declare target(scale)
void f(double *x, int n) {
    for (int d = 0; d < 2; d++) {
        scale = d + 2;
        #pragma omp target update to(scale) device(1)
        #pragma omp target map(tofrom: x[0:n]) device(2)
        x[d] *= scale;
    //          ^^^^^ warning: `scale` has an old value on this device: what the host has written since went to another device only
    }
}
""",
    ),
    good=(
        """
#pragma omp declare target
double table[10];
#pragma omp end declare target
int main(void) {
    double found = 0;
    for (int i = 0; i < 10; i++)
        table[i] = i;
    for (int d = 0; d < 2; d++) {
        #pragma omp target update to(table) device(d)
    }
    #pragma omp target device(0) map(from: found)
    found = table[3];
    table[4] = 1;
    #pragma omp target update to(table) device(0)
    #pragma omp target update to(table[4:1]) device(1)
    #pragma omp target device(1) map(tofrom: found)
    found += table[4];
    #pragma omp target map(tofrom: found)
    found += table[4];
    return found > 2;
}
""",
        """
int scale = 1;
#pragma omp declare target(scale)
void f(double *x, int n, int d) {
    scale = 2;
    #pragma omp target update to(scale) device(d)
    #pragma omp target map(tofrom: x[0:n]) device(0)
    x[0] *= scale;
}
""",
        """
int scale = 1;
#pragma omp declare target(scale)
void f(double *x, int n) {
    scale = 2;
    #pragma omp target update to(scale) device(0)
    #pragma omp target map(tofrom: x[0:n])
    x[0] *= scale;
    #pragma omp target map(tofrom: x[0:n]) device(1)
    scale = 3;
}
""",
        """
int main(void) {
    int n = 10, a[100] = {0}, sum = 0;
    #pragma omp target data map(to: a)
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 100; i++)
            a[i] = i + k;
        #pragma omp target update to(a)
        #pragma omp target teams distribute parallel for reduction(+: sum)
        for (int i = 0; i < 100; i++)
            sum += a[i];
    }
    return sum;
}
""",
        """
int main(void) {
    int n = 10, a[100] = {0}, sum = 0;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 100; i++)
            a[i] = i + k;
        #pragma omp target teams distribute parallel for reduction(+: sum) map(to: a)
        for (int i = 0; i < 100; i++)
            sum += a[i];
    }
    return sum;
}
""",
        """
int main(void) {
    int a[100] = {0}, sum = 0;
    #pragma omp target data map(to: a)
    {
        a[0] = 1;
        a[99] = 2;
        #pragma omp target teams distribute parallel for reduction(+: sum)
        for (int i = 1; i < 99; i++)
            sum += a[i];
    }
    return sum;
}
""",
        """
int main(void) {
    int a[100] = {0}, sum = 0;
    #pragma omp target data map(tofrom: a)
    {
        for (int i = 0; i < 100; i++)
            a[i] = i;
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < 100; i++)
            a[i] = 2 * i;
        #pragma omp target teams distribute parallel for reduction(+: sum)
        for (int i = 0; i < 100; i++)
            sum += a[i];
    }
    return sum;
}
""",
        """
int main(void) {
    int a[100] = {0}, sum = 0;
    #pragma omp target enter data map(to: a)
    a[3] = 4;
    #pragma omp target map(always, to: a) map(tofrom: sum)
    sum += a[3];
    #pragma omp target exit data map(delete: a)
    return sum;
}
""",
        """
int f(int *a, int n, int other) {
    int sum = 0;
    #pragma omp target data map(to: a[0:n])
    {
        a[other] = 4;
        #pragma omp target map(tofrom: sum)
        sum += a[n - 1];
    }
    return sum;
}
""",
        """
static double g[20][30];
static void edges(void) {
    for (int j = 0; j < 30; j++) {
        g[0][j] = 1;
        g[19][j] = 2;
    }
}
int main(void) {
    double s = 0;
    #pragma omp target enter data map(to: g)
    edges();
    #pragma omp target update to(g[0:1][0:30])
    #pragma omp target update to(g[19:1][0:30])
    #pragma omp target teams distribute parallel for reduction(+: s) map(tofrom: s)
    for (int j = 0; j < 30; j++)
        s += g[0][j] + g[19][j] + g[7][j];
    #pragma omp target exit data map(delete: g)
    return s > 0;
}
""",
    ),
    check=check,
)
