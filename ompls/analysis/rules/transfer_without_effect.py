"""A map type that asks for a copy although the data are present.

A hint: it does no harm by itself. Where a value is lost by it, `missing-update-to` and `missing-update-from` say so.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import events, finding


def check(scene: Scene) -> Iterator[Finding]:
    for found in events(scene, "redundant"):
        if found.event.certainty == "certain":
            message = f"`{found.event.name}` is present already: `map({found.event.detail}: …)` copies nothing here"
            yield finding(found, message, "hint")
    for found in events(scene, "redundant-update"):
        if found.event.certainty == "certain":
            message = (
                f"nobody has written `{found.event.name}` since it was copied last: the update copies the same again"
            )
            yield finding(found, message, "hint")


RULE = Rule(
    id="transfer-without-effect",
    group="mapping",
    severity="hint",
    title="A map copies nothing, because the data are present already",
    why="""
When data are on the device, a map clause counts one more reference and copies nothing at either end, whatever its map type; only the `always` modifier does. `map(alloc:)` or
`map(present, alloc:)` says what happens.
""",
    section="5.8.3",
    bad=(
        """
int main(void) {
    int x[10] = {1};
    #pragma omp target data map(tofrom: x)
    {
        #pragma omp target map(to: x)
    //                             ^ hint: `x` is present already: `map(to: …)` copies nothing here
        x[0] = 2;
    }
    return x[0];
}
""",
        """
static void step(int *x, int n) {
    #pragma omp target map(tofrom: x[0:n])
    //                             ^^^^^^ hint: `x[0:n]` is present already: `map(tofrom: …)` copies nothing here
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
