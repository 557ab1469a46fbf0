"""An `atomic` that is deleted from a right program is missed, by a warning: two programs of ten that were tried."""

from __future__ import annotations

import re

import pytest
from drawing import analyze

from ompls.analysis.rules import check

PROGRAMS = {
    "what an index in a structure chooses": """
typedef struct { int from, to; } edge;
void degrees(int m, const edge *e, int n, int *deg) {
    #pragma omp target teams distribute parallel for map(to: e[0:m]) map(tofrom: deg[0:n])
    for (int k = 0; k < m; k++) {
        #pragma omp atomic
        deg[e[k].from]++;
        #pragma omp atomic
        deg[e[k].to]++;
    }
}
""",
    "what a called function counts": """
static long hits;
static void count(int inside) {
    if (inside) {
        #pragma omp atomic
        hits++;
    }
}
double pi(long n) {
    hits = 0;
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        double x = (double)((i * 7919) % n) / n, y = (double)((i * 104729) % n) / n;
        count(x * x + y * y < 1);
    }
    return 4.0 * hits / n;
}
""",
}


@pytest.mark.parametrize("what", PROGRAMS)
def test_a_dropped_atomic_is_missed(what: str) -> None:
    right = PROGRAMS[what]
    dropped = re.sub(r"\n *#pragma omp atomic[^\n]*", "", right)
    assert [[d.severity for d in check(analyze(text))] for text in (right, dropped)] == [[], ["warning"]]
