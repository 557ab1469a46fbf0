"""The host reads data that a device has written and that are still on it.

Certain when on every path the device was the last to write an element that is read, and nothing has brought it back.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import HostStale, LostResult
from ompls.analysis.model import ast
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import Noticed, events, finding, firsts, list_item_at, risk_at, severity_of
from ompls.analysis.rules.support.updates import update_from
from ompls.analysis.rules.support.updates_elsewhere import update_from_before_call


def check(scene: Scene) -> Iterator[Finding]:
    for found in firsts(events(scene, HostStale)):
        message = f"the host reads `{found.event.name}` here, but the newer values are on the device: there is no `target update from` in between"
        severity = "hint" if _is_test(scene, found) else severity_of(found, scene)
        read = found.event.site.span
        risk = risk_at(scene, read)
        changes = update_from(scene, read, risk)
        if not changes and not risk:
            changes = update_from_before_call(scene, found)
        yield finding(found, message, severity, *changes)
    for found in events(scene, LostResult, "update"):
        message = f"this overwrites what the device has written to `{found.event.name}`, which the host reads later: `from` brings it back"
        yield finding(found, message, severity_of(found, scene), *_other_way(scene, found))


def _other_way(scene: Scene, found: Noticed) -> tuple[Change, ...]:
    """The fix that turns a `target update` of one list item round."""
    listed = list_item_at(scene, found.event.site.span)
    if listed is None or listed[1].name != "to" or len(listed[1].items) > 1 or risk_at(scene, listed[2].span):
        return ()
    return (Change(f"Change to `from({listed[2].text})`", listed[1].name_span, "from", safe=False),)


def _is_test(scene: Scene, found: Noticed) -> bool:
    """`x == 3`, where a region has written 3: the program looks whether that has come back."""
    assert scene.content is not None
    nodes = list(scene.content.node.walk())
    written = {span for span, _ in found.here}
    constants = {
        n.value.value
        for n in nodes
        if isinstance(n, ast.Assign) and n.target.span in written and isinstance(n.value, ast.IntLiteral)
    }
    return any(
        isinstance(n, ast.Binary)
        and n.op == "=="
        and n.left.span == found.event.site.span
        and isinstance(n.right, ast.IntLiteral)
        and n.right.value in constants
        for n in nodes
    )


RULE = Rule(
    id="missing-update-from",
    group="mapping",
    severity="warning",
    title="The host reads old values: the device has newer ones",
    why="""
While data are present on a device, host and device have a copy each. A map clause for something that is present copies nothing at its end,
whatever its map type: results come back when the outermost data environment ends, with `target update from(x)`, or with the `always` modifier.
""",
    section="13.8",
    about="events",
    bad=(
        """
typedef struct { double *at; int n; } part;
static double low[8], high[8];
static part both[2] = {{low, 8}, {high, 8}};
int main(void) {
    #pragma omp target enter data map(to: low, high)
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < 8; i++) low[i] = high[i] = i;
    #pragma omp target update from(both[0].at[0:8])
    int wrong = low[3] != 3 || high[3] != 3;
    //                         ^^^^^^^ warning: the host reads `high` here, but the newer values are on the device: there is no `target update from` in between
    #pragma omp target exit data map(delete: low, high)
    return wrong;
}
""",
        """
void *calloc(unsigned long, unsigned long);
typedef struct { int n; float *w; } row;
typedef struct { int count; row *rows; } table;
#pragma omp declare mapper(deep: row r) map(r) map(r.w[0:r.n])
#pragma omp declare mapper(all: table t) map(t) map(mapper(deep), tofrom: t.rows[0:t.count])
int main(void) {
    row one = {3, calloc(3, sizeof(float))};
    table t = {1, &one};
    float sum;
    #pragma omp target data map(mapper(all), to: t)
    {
        #pragma omp target
        for (int i = 0; i < t.rows[0].n; i++)
            t.rows[0].w[i] += 1;
        sum = t.rows[0].w[2];
        //    ^^^^^^^^^^^^^^ warning: the host reads `t.rows.w` here, but the newer values are on the device: there is no `target update from` in between
    }
    return sum;
}
""",
        """
int main(void) {
    double x[100] = {1}, sum = 0;
    #pragma omp target data map(tofrom: x)
    {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < 100; i++)
            x[i] *= 2;
        for (int i = 0; i < 100; i++)
            sum += x[i];
    //             ^^^^ warning: the host reads `x` here, but the newer values are on the device: there is no `target update from` in between
    }
    return sum > 0;
}
""",
        """
static double norm(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    //         ^^^^ warning: the host reads `x` here, but the newer values are on the device: there is no `target update from` in between
    return sum;
}
void *malloc(unsigned long);
int main(void) {
    double *x = malloc(100 * sizeof(double)), error = 1;
    for (int i = 0; i < 100; i++)
        x[i] = i;
    #pragma omp target enter data map(to: x[0:100])
    while (error > 0.1) {
        #pragma omp target teams distribute parallel for map(tofrom: x[0:100])
        for (int i = 0; i < 100; i++)
            x[i] *= 0.5;
        error = norm(x, 100);
    }
    #pragma omp target exit data map(from: x[0:100])
    return 0;
}
""",
        """
#pragma omp declare target
int counter;
#pragma omp end declare target
int main(void) {
    #pragma omp target
    counter = counter + 1;
    return counter;
    //     ^^^^^^^ warning: the host reads `counter` here, but the newer values are on the device: there is no `target update from` in between
}
""",
        """
int main(void) {
    double x[100] = {1}, sum = 0;
    #pragma omp target data map(tofrom: x)
    {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < 100; i++)
            x[i] *= 2;
        #pragma omp target update to(x[0:100])
        //                           ^^^^^^^^ warning: this overwrites what the device has written to `x`, which the host reads later: `from` brings it back
        for (int i = 0; i < 100; i++)
            sum += x[i];
    }
    return sum > 0;
}
""",
        """
int main(int argc, char **argv) {
    double x[100] = {1}, sum = 0;
    #pragma omp target data map(tofrom: x)
    for (int step = 0; step < argc; step++) {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < 100; i++)
            x[i] *= 2;
        if (step % 10 == 0) {
            #pragma omp target update from(x)
        }
        sum += x[5];
    //         ^^^^ warning: the host reads `x` here, but the newer values are on the device: there is no `target update from` in between
    }
    return sum > 0;
}
""",
    ),
    good=(
        """
static double cells[16], *now = cells;
void library(double *out) {
    #pragma omp target enter data map(to: cells)
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < 16; i++) cells[i] = i;
    #pragma omp target update from(now[0:16])
    out[0] = cells[3];
    #pragma omp target exit data map(delete: cells)
}
""",
        """
static double low[16], high[16];
typedef struct { double *at; int n; } part;
typedef struct { int id; part all, rest; } grid;
static grid two[2] = {{1, {low, 16}, {.n = 16, .at = high}}};
static double *rows[2] = {low, high};
static void back(const grid *g) {
    #pragma omp target update from(g->all.at[0:g->all.n], rows[1][0:16])
}
int main(void) {
    #pragma omp target enter data map(to: low, high)
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < 16; i++) low[i] = high[i] = i;
    back(two);
    int wrong = low[3] != 3 || high[3] != 3;
    #pragma omp target exit data map(delete: low, high)
    return wrong;
}
""",
        """
void *calloc(unsigned long, unsigned long);
typedef struct { int n; float *w; } row;
typedef struct { int count; row *rows; } table;
typedef struct { row first; table others; } book;
#pragma omp declare mapper(row r) map(r) map(r.w[0:r.n])
#pragma omp declare mapper(all: table t) map(t) map(iterator(k = 0:t.count), tofrom: t.rows[k].w[0:3])
#pragma omp declare mapper(all: book b) map(b) map(mapper(all), tofrom: b.others)
int main(void) {
    row one = {3, calloc(3, sizeof(float))};
    book b = {one, {1, &one}};
    float sum;
    #pragma omp target data map(mapper(all), to: b)
    {
        #pragma omp target
        b.others.rows[0].w[2] += b.first.w[1];
        #pragma omp target update from(mapper(all): b)
        sum = b.others.rows[0].w[2];
    }
    return sum;
}
""",
        """
void *calloc(unsigned long, unsigned long);
typedef struct { int n; float *w; } row;
typedef struct { int count; row *rows; } table;
#pragma omp declare mapper(deep: row r) map(r) map(r.w[0:r.n])
#pragma omp declare mapper(all: table t) map(t) map(mapper(deep), tofrom: t.rows[0:t.count])
int main(void) {
    row one = {3, calloc(3, sizeof(float))};
    table t = {1, &one};
    float sum;
    #pragma omp target data map(mapper(all), to: t)
    {
        #pragma omp target
        for (int i = 0; i < t.rows[0].n; i++) t.rows[0].w[i] += 1;
        #pragma omp target update from(mapper(all): t)
        sum = t.rows[0].w[2] + one.w[0];
    }
    return sum;
}
""",
        """
int main(void) {
    double x[100] = {1}, sum = 0;
    #pragma omp target data map(tofrom: x)
    for (int k = 0; k < 10; k++) {
        #pragma omp target update to(x)
        #pragma omp target teams distribute parallel for reduction(+: sum)
        for (int i = 0; i < 100; i++) {
            x[i] *= 2;
            sum += x[i];
        }
    }
    return sum + x[0] > 0;
}
""",
        """
int main(void) {
    double x[100] = {1}, sum = 0;
    #pragma omp target data map(tofrom: x)
    {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < 100; i++)
            x[i] *= 2;
        #pragma omp target update from(x)
        for (int i = 0; i < 100; i++)
            sum += x[i];
    }
    return sum > 0;
}
""",
        """
int main(void) {
    double x[100] = {1}, sum = 0;
    #pragma omp target data map(to: x)
    {
        #pragma omp target teams distribute parallel for map(always, from: x)
        for (int i = 0; i < 100; i++)
            x[i] *= 2;
        sum = x[1];
    }
    return sum > 0;
}
""",
        """
int main(void) {
    double x[100] = {1}, sum = 0;
    #pragma omp target data map(tofrom: x)
    {
        #pragma omp target teams distribute parallel for
        for (int i = 1; i < 99; i++)
            x[i] *= 2;
        sum = x[0] + x[99];
    }
    return sum > 0;
}
""",
        """
void *malloc(unsigned long);
int main(void) {
    double *a = malloc(800), *b = malloc(800), *t, sum = 0;
    for (int i = 0; i < 100; i++)
        a[i] = b[i] = i;
    #pragma omp target data map(tofrom: a[0:100], b[0:100])
    for (int k = 0; k < 10; k++) {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < 100; i++)
            b[i] = a[i] + 1;
        t = a; a = b; b = t;
        #pragma omp target update from(a[0:100])
        sum += a[5];
    }
    return sum > 0;
}
""",
        """
int f(int flag) {
    int x[10] = {1};
    if (flag) {
        #pragma omp target enter data map(to: x)
    }
    #pragma omp target map(tofrom: x)
    x[0] = 2;
    if (flag) {
        #pragma omp target exit data map(from: x)
    }
    return x[0];
}
""",
        """
#pragma omp requires unified_shared_memory
int main(void) {
    int x[10] = {1};
    #pragma omp target enter data map(to: x)
    #pragma omp target
    x[0] = 2;
    return x[0];
}
""",
        """
int main(int argc, char **argv) {
    double x[100] = {1}, sum = 0;
    int changed = 0;
    #pragma omp target data map(tofrom: x)
    for (int step = 0; step < argc; step++) {
        #pragma omp target teams distribute parallel for reduction(+: changed) map(tofrom: changed)
        for (int i = 0; i < 100; i++)
            if (x[i] < 8) {
                x[i] *= 2;
                changed++;
            }
        if (changed) {
            #pragma omp target update from(x)
        }
        sum += x[5];
    }
    return sum > 0;
}
""",
        """
int main(int argc, char **argv) {
    double x[100] = {1}, sum = 0;
    #pragma omp target data map(tofrom: x)
    for (int step = 0; step < argc; step++) {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < 100; i++)
            x[i] *= 2;
        if (step % 10 == 0) {
            #pragma omp target update from(x)
            sum += x[5];
        }
    }
    return sum > 0;
}
""",
    ),
    check=check,
)
