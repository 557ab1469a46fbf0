"""A map type that asks for a copy that is not made, an update that copies the same again.

A hint: it does no harm by itself.  To map again what is present, with the same type or a weaker one, is an everyday
idiom (the kernel stays right on its own), and is not mentioned.  Neither is what a function maps that its caller has
mapped.  Where a value is lost that the host reads, `to-write-lost` and `missing-update-from` say so.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import HostStale, KeptBack, LostResult, RedundantUpdate
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import Noticed, certain, events, finding, list_item_at, region_at


def check(scene: Scene) -> Iterator[Finding]:
    for found in events(scene, KeptBack):
        if found.event.certainty == "certain" and found.here and _is_missed(scene, found):
            name, kind = found.event.name, found.event.how
            message = f"the region writes `{name}`, but `map({kind}: …)` copies nothing back: it is present already"
            yield finding(found, message, "hint")
    later = _written_later(scene)
    for found in certain(scene, RedundantUpdate):
        if found.event.name.split("[")[0] in later:
            continue
        message = f"nobody has written `{found.event.name}` since it was copied last: the update copies the same again"
        yield finding(found, message, "hint")


def _written_later(scene: Scene) -> set[str]:
    """What a region with `nowait` may write at any time, until it is waited for."""
    regions = scene.content.regions if scene.content is not None else []
    going = [r for r in regions if r.stmt.directive.clause("nowait") is not None]
    return {v.symbol.name for r in going for v in r.variables if v.writes}


def _is_missed(scene: Scene, found: Noticed) -> bool:
    """Whether the region writes the item, and neither an update fetches it nor another rule says that it is lost."""
    region, item = region_at(scene, found.event.site.span), list_item_at(scene, found.event.site.span)
    symbol = item[2].symbol if item is not None else None
    if region is None or symbol is None:
        return False
    variable = next((v for v in region.variables if v.symbol is symbol), None)
    if variable is None or not variable.writes:
        return False
    updates = (c for d in scene.directives if d.name == "target update" for c in d.all("from"))
    fetched = any(i.symbol is symbol for clause in updates for i in clause.items)
    told = {found.event.name for kind in (LostResult, HostStale) for found in events(scene, kind)}
    return not fetched and not any(name.split("[")[0] == symbol.name for name in told)


RULE = Rule(
    id="transfer-without-effect",
    group="mapping",
    severity="hint",
    title="A map copies nothing back, because the data are present already; an update copies the same again",
    why="""
When data are on the device, a map clause counts one more reference and copies nothing at either end, whatever its map type; only the `always` modifier does. `map(alloc:)` or
`map(present, alloc:)` says what happens.
""",
    section="5.8.3",
    about="events",
    bad=(
        """
void *calloc(unsigned long, unsigned long);
typedef struct { int n; float *w; } row;
#pragma omp declare mapper(row r) map(r) map(r.w[0:r.n])
int main(void) {
    row one = {3, calloc(3, sizeof(float))};
    #pragma omp target data map(to: one)
    {
        #pragma omp target
        one.w[1] += 1;
        #pragma omp target update from(one)
        #pragma omp target update from(one)
        //                             ^^^ hint: nobody has written `one` since it was copied last: the update copies the same again
    }
    return one.w[1];
}
""",
        """
int main(void) {
    int x[10] = {1};
    #pragma omp target data map(to: x)
    {
        #pragma omp target map(tofrom: x)
    //                                 ^ hint: the region writes `x`, but `map(tofrom: …)` copies nothing back: it is present already
        x[0] = 2;
    }
    return 0;
}
""",
        """
int main(void) {
    int x[10] = {1};
    #pragma omp target data map(tofrom: x)
    {
        #pragma omp target
        x[0] = 2;
        #pragma omp target update from(x)
        #pragma omp target update from(x)
    //                                 ^ hint: nobody has written `x` since it was copied last: the update copies the same again
    }
    return x[0];
}
""",
    ),
    good=(
        """
void *calloc(unsigned long, unsigned long);
typedef struct { int n; float *w; } row;
#pragma omp declare mapper(row r) map(r) map(r.w[0:r.n])
int main(void) {
    row two[2] = {{3, calloc(3, sizeof(float))}, {2, calloc(2, sizeof(float))}}, *p = two;
    #pragma omp target data map(to: p[0:2])
    {
        #pragma omp target
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < p[k].n; i++) p[k].w[i] += k + 1;
        #pragma omp target update from(p[0:2])
    }
    return two[1].w[1];
}
""",
        """
int main(void) {
    int served = 0;
    #pragma omp target data map(tofrom: served)
    {
        #pragma omp target map(served) nowait
        for (int i = 1; i < 3; i++)
            served = i;
        while (served < 2) {
            #pragma omp target update from(served)
        }
        #pragma omp taskwait
    }
    return 0;
}
""",
        """
int main(void) {
    int x[10] = {1};
    #pragma omp target data map(tofrom: x)
    {
        #pragma omp target map(to: x)
        x[0] = 2;
        #pragma omp target map(tofrom: x)
        x[1] = 2;
    }
    return x[0];
}
""",
        """
static void step(int *x, int n) {
    #pragma omp target map(tofrom: x[0:n])
    x[0] += 2;
}
int main(void) {
    int x[10] = {1};
    #pragma omp target enter data map(to: x)
    for (int k = 0; k < 3; k++)
        step(x, 10);
    #pragma omp target exit data map(from: x)
    return x[0];
}
""",
        """
int main(void) {
    int x[10] = {1}, sum = 0;
    #pragma omp target data map(to: x)
    {
        #pragma omp target map(tofrom: x)
        x[0] = 2;
        #pragma omp target update from(x)
        sum = x[0];
    }
    return sum;
}
""",
        """
int main(void) {
    int x[10] = {1}, sum = 0;
    #pragma omp target data map(to: x) map(tofrom: sum)
    {
        #pragma omp target map(tofrom: x, sum)
        sum += x[0];
    }
    return sum;
}
""",
        """
static void step(int *x, int n) {
    #pragma omp target map(tofrom: x[0:n])
    x[0] += 2;
}
int main(void) {
    int x[10] = {1};
    #pragma omp target data map(to: x)
    step(x, 10);
    return 0;
}
""",
        """
int main(void) {
    int x[10] = {1}, sum = 0;
    #pragma omp target data map(to: x)
    for (int k = 0; k < 10; k++) {
        #pragma omp target update to(x)
        #pragma omp target map(tofrom: sum)
        sum += x[k];
        x[k] = sum;
    }
    return sum;
}
""",
        """
int main(void) {
    int x[10] = {1};
    #pragma omp target data map(tofrom: x)
    {
        #pragma omp target map(alloc: x)
        x[0] = 2;
    }
    return x[0];
}
""",
        """
int main(void) {
    int x[10] = {1};
    #pragma omp target data map(tofrom: x)
    {
        #pragma omp target map(always, to: x)
        x[0] = 2;
    }
    return x[0];
}
""",
        """
void step(int *x, int n) {
    #pragma omp target map(tofrom: x[0:n])
    x[0] += 2;
}
""",
        """
int main(void) {
    int x[10] = {1};
    #pragma omp target map(tofrom: x)
    x[0] = 2;
    #pragma omp target map(tofrom: x)
    x[0] += 2;
    return x[0];
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
        #pragma omp target exit data map(release: x)
    }
    return x[0];
}
""",
    ),
    check=check,
)
