"""Storage of which one object of the abstract machine stands for several pieces: rows, members of many structures."""

from __future__ import annotations

import pytest
from test_machine import kinds

ROWS = """
int main(void) {
    int n = 6, m = 10;
    double **a = malloc(n * sizeof *a), s = 0;
    for (int i = 0; i < n; i++) {
        a[i] = malloc(m * sizeof **a);
        for (int j = 0; j < m; j++) a[i][j] = i + j;
    }
    #pragma omp target enter data map(to: a[0:n])
    for (int i = 0; i < n; i++) {
        #pragma omp target enter data map(ENTER)
    }
    #pragma omp target
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) a[i][j] *= 2;
    for (int i = 0; i < n; i++) {
        #pragma omp target exit data map(EXIT)
    }
    #pragma omp target exit data map(release: a[0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) s += a[i][j];
    return printf("%f", s);
}
"""


@pytest.mark.parametrize(
    ("enter", "leave", "expected"),
    [
        ("to: a[i][0:m]", "from: a[i][0:m]", []),
        ("to: a[i][0:m]", "release: a[i][0:m]", ["lost-result"]),
        ("alloc: a[i][0:m]", "from: a[i][0:m]", ["garbage"]),
        ("to: a[i][0:m - 1]", "from: a[i][0:m - 1]", ["lost-result", "too-short"]),
    ],
)
def test_what_a_loop_does_to_each_row_is_done_to_all(enter: str, leave: str, expected: list[str]) -> None:
    assert kinds(ROWS.replace("ENTER", enter).replace("EXIT", leave)) == expected


MAPPER = """
struct vec { int n; double *x; };
#pragma omp declare mapper(struct vec v) map(to: v.n) map(MAPS)
int main(void) {
    INIT
    v.x = malloc(v.n * sizeof(double));
    for (int i = 0; i < v.n; i++) v.x[i] = i;
    #pragma omp target map(KIND: v)
    for (int i = 0; i < v.n; i++) v.x[i] += 1;
    return v.x[3] != 4;
}
"""


@pytest.mark.parametrize(
    ("maps", "kind", "expected"),
    [
        ("tofrom: v.x[0:v.n]", "tofrom", []),
        ("tofrom: v.x[0:v.n]", "to", ["lost-result"]),
        ("to: v.x[0:v.n]", "tofrom", ["lost-result"]),
        ("from: v.x[0:v.n]", "tofrom", ["garbage"]),
        ("tofrom: v.x[0:v.n / 2]", "tofrom", ["too-short"]),
    ],
)
@pytest.mark.parametrize("init", ["struct vec v = {.n = 20};", "struct vec v = {x: 0, n: 20};", "struct vec v = {20};"])
def test_a_mapper_maps_what_it_lists(maps: str, kind: str, expected: list[str], init: str) -> None:
    assert kinds(MAPPER.replace("MAPS", maps).replace("KIND", kind).replace("INIT", init)) == expected


@pytest.mark.parametrize(
    "init",
    [
        "{{1, 2}, 20}",
        "{1, 2, 20}",
        "{one, 20}",
        "{.of = one, 20}",
        "{.of.a = 1, .n = 20}",
        "{n: 20}",
    ],
)
def test_initialisers_give_values_to_the_members_that_c_says(init: str) -> None:
    text = """
    struct pair { int a, b; };
    struct vec { struct pair of; int : 8; int n; };
    int main(void) {
        struct pair one = {1, 2};
        struct vec v = INIT;
        double *x = malloc(20 * sizeof *x);
        #pragma omp target map(from: x[0:20])
        for (int i = 0; i < v.n; i++) x[i] = i;
        return x[3] > v.n;
    }
    """
    over = kinds(text.replace("INIT", init).replace("i < v.n", "i <= v.n"))
    assert (kinds(text.replace("INIT", init)), over) == ([], ["too-short"])


def test_a_mapper_that_is_not_followed_is_not_taken_for_the_default_one() -> None:
    text = MAPPER.replace("#pragma omp declare mapper(struct vec v) map(to: v.n) map(MAPS)", "").replace(
        "int main(void) {", "int main(void) {\n#pragma omp declare mapper(by_default: struct vec v) map(v, v.x[0:v.n])"
    )
    text = text.replace("KIND: v", "mapper(by_default), tofrom: v").replace("INIT", "struct vec v = {20};")
    assert kinds(text) == []


@pytest.mark.parametrize(
    ("section", "expected"),
    [("n * (n + 1) / 2", []), ("n", ["too-short"]), ("n * (n - 1) / 2", ["too-short"])],
)
def test_triangles(section: str, expected: list[str]) -> None:
    text = """
    double f(const double *a, int n) {
        double s = 0;
        #pragma omp target map(to: a[0:SECTION]) map(tofrom: s)
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) s += a[i * (i + 1) / 2 + j];
        return s;
    }
    """
    assert kinds(text.replace("SECTION", section)) == expected


@pytest.mark.parametrize(("kind", "expected"), [("to", []), ("alloc", ["garbage"])])
def test_one_of_two_arrays(kind: str, expected: list[str]) -> None:
    text = """
    int main(int argc, char **argv) {
        int *a = malloc(400), *b = malloc(400), s = 0;
        for (int i = 0; i < 100; i++) a[i] = b[i] = i;
        int *p = argc > 1 ? a : b;
        #pragma omp target map(KIND: p[0:100]) map(tofrom: s)
        for (int i = 0; i < 100; i++) s += p[i];
        return s;
    }
    """
    assert kinds(text.replace("KIND", kind)) == expected


def test_a_loop_that_does_not_run_at_first_reads_nothing() -> None:
    text = """
    int main(void) {
        int n = 20;
        double *x = malloc(n * sizeof *x);
        #pragma omp target enter data map(alloc: x[0:n])
        for (int i = 0; i < n; i++) {
            double s = 1;
            #pragma omp target map(tofrom: s)
            for (int j = 0; j < i; j++) s += x[j];
            #pragma omp target
            x[i] = s;
        }
        #pragma omp target exit data map(from: x[0:n])
        return x[3] > 1;
    }
    """
    assert kinds(text) == []


@pytest.mark.parametrize(
    "clauses", ["map(alloc: x) map(from: x)", "map(from: x) map(alloc: x)", "map(to: x) map(from: x)"]
)
def test_what_is_listed_twice_goes_both_ways(clauses: str) -> None:
    text = """
    int main(void) {
        int x[10] = {0};
        #pragma omp target CLAUSES
        x[0] = 1;
        return x[0];
    }
    """
    assert kinds(text.replace("CLAUSES", clauses)) == []
