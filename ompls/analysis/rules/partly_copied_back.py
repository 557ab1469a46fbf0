"""A result that comes back only in part.

Certain when the host reads an element that the device has written and that the section leaves out.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import LostResult, TooShort
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import events, finding, list_item_at, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    short = {f.event.site.span for f in events(scene, TooShort) if f.event.certainty != "possible"}
    for found in events(scene, LostResult, "from", "tofrom"):
        # A section that is too short for its own region is told as that.
        if found.event.certainty == "certain" and found.event.site.span not in short:
            item = list_item_at(scene, found.event.site.span)
            name = item[2].text if item is not None else found.event.name
            message = f"`{name}` is not all that the device has written: the host reads old values of the rest"
            yield finding(found, message, severity_of(found, scene))


RULE = Rule(
    id="partly-copied-back",
    group="mapping",
    severity="warning",
    title="Only a part of what the device has written is copied back",
    why="""
`map(from: c[0:n/2])` copies these elements and no others. When the storage leaves the device data environment with this, what else was written there
is gone, and the host goes on with the values that it had before.
""",
    section="5.8.3",
    about="events",
    bad=(
        """
#define C 512
int *c;
void *malloc(unsigned long);
static void compute(void) {
    #pragma omp target enter data map(alloc: c[0:C])
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < C; i++)
        c[i] = i;
    #pragma omp target exit data map(from: c[0:C/2])
    //                                     ^^^^^^^^ warning: `c[0:C/2]` is not all that the device has written: the host reads old values of the rest
}
int main(void) {
    int sum = 0;
    c = malloc(C * sizeof(int));
    compute();
    for (int i = 0; i < C; i++)
        sum += c[i];
    return sum;
}
""",
        """
int main(void) {
    double grid[64] = {0}, last;
    #pragma omp target enter data map(to: grid)
    for (int step = 0; step < 10; step++) {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < 64; i++)
            grid[i] += step;
    }
    #pragma omp target exit data map(from: grid[0:63])
    //                                     ^^^^^^^^^^ warning: `grid[0:63]` is not all that the device has written: the host reads old values of the rest
    last = grid[63];
    return last > 0;
}
""",
    ),
    good=(
        """
#define C 512
int main(void) {
    int c[C], sum = 0;
    #pragma omp target enter data map(alloc: c)
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < C; i++)
        c[i] = i;
    #pragma omp target exit data map(from: c[0:C/2])
    for (int i = 0; i < C / 2; i++)
        sum += c[i];
    return sum;
}
""",
        """
#define C 512
int main(void) {
    int c[C], sum = 0;
    #pragma omp target enter data map(alloc: c)
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < C; i++)
        c[i] = i;
    #pragma omp target update from(c[C/2:C/2])
    #pragma omp target exit data map(from: c[0:C/2])
    for (int i = 0; i < C; i++)
        sum += c[i];
    return sum;
}
""",
        """
int f(int n, int m) {
    int c[100], sum = 0;
    #pragma omp target enter data map(alloc: c)
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        c[i] = i;
    #pragma omp target exit data map(from: c[0:m])
    for (int i = 0; i < n; i++)
        sum += c[i];
    return sum;
}
""",
        """
int main(void) {
    int c[100] = {0}, sum = 0;
    #pragma omp target enter data map(to: c)
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < 50; i++)
        c[i] = i;
    #pragma omp target exit data map(from: c[0:50])
    for (int i = 0; i < 100; i++)
        sum += c[i];
    return sum;
}
""",
        """
int main(void) {
    int c[100], sum = 0;
    #pragma omp target enter data map(alloc: c)
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < 100; i++)
        c[i] = i;
    #pragma omp target exit data map(from: c[0:50])
    for (int i = 50; i < 100; i++)
        c[i] = 0;
    for (int i = 0; i < 100; i++)
        sum += c[i];
    return sum;
}
""",
    ),
    check=check,
)
