"""Elements that are chosen by an index array: two iterations may choose the same one."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.races.atomically import atomically
from ompls.analysis.rules.support.races.report import finding, reports, text_of


def check(scene: Scene) -> Iterator[Finding]:
    for report in reports(scene, "indirect"):
        race = report.race
        what = text_of(scene, race.first)
        if race.certain and race.meeting.verdict == "indirect":
            done = "updated" if race.first.read else "written"
            message = f"`{what}` is {done} by iterations that find the same index and run at the same time: it needs an `atomic` directive"
        elif race.certain:
            message = f"the values in the index array make two iterations that run at the same time access `{what}`"
        else:
            message = f"`{what}` is right only if no two iterations find the same index: otherwise it needs `atomic`"
        changes = atomically(scene, report.writes, safe=race.certain) if race.first.read else ()
        yield finding(scene, report, message, changes)


RULE = Rule(
    id="race-through-index",
    severity="warning",
    title="Iterations that run at the same time update elements that an index array chooses",
    why="""
In `a[index[i]] += x` two iterations update the same element when the index array holds a value twice. Whether it does is not to be
seen in the program, unless the array is a constant. A histogram or an assembly needs an `atomic` directive; a permutation does not.
""",
    section="1.4.1",
    group="sharing",
    about="races",
    bad=(
        """
void f(int n, double *a, const int *index, const double *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[index[i]] += x[i];
    //  ^^^^^^^^^^^ hint: `a[index[i]]` is right only if no two iterations find the same index: otherwise it needs `atomic`
}
""",
        """
static const int index[6] = {0, 4, 2, 6, 4, 8};
void f(double *a, const double *x) {
    #pragma omp parallel for
    for (int i = 0; i < 6; i++)
        a[index[i]] += x[i];
    //  ^^^^^^^^^^^ warning: the values in the index array make two iterations that run at the same time access `a[index[i]]`
}
""",
        """
static void add(double *to, double v) { *to += v; }
//                                      ^^^ hint: `*to` is right only if no two iterations find the same index: otherwise it needs `atomic`
void f(int n, double *a, const int *index) {
    for (int k = 0; k < 3; k++) {
        #pragma omp target teams distribute parallel for map(tofrom: a[0:n]) map(to: index[0:n])
        for (int i = 0; i < n; i++)
            add(&a[index[i]], k);
    }
}
""",
        """
int main(void) {
    static int cell[1000];
    static float mass[1000], grid[100];
    for (int i = 0; i < 1000; i++)
        cell[i] = i * 7 % 100;
    #pragma omp target teams distribute parallel for map(to: cell, mass) map(tofrom: grid)
    for (int p = 0; p < 1000; p++) {
        const int c = cell[p];
        grid[c] += mass[p];
    //  ^^^^^^^ warning: `grid[c]` is updated by iterations that find the same index and run at the same time: it needs an `atomic` directive
    }
    return grid[3] > 0;
}
""",
        """
void histogram(const unsigned char *data, unsigned long n, double *weight, double *bins) {
    #pragma omp target teams distribute parallel for map(to: data[0:n], weight[0:n]) map(tofrom: bins[0:16])
    for (unsigned long i = 0; i < n; i++)
        bins[data[i] >> 4] += weight[i];
    //  ^^^^^^^^^^^^^^^^^^ warning: `bins[data[i] >> 4]` is updated by iterations that find the same index and run at the same time: it needs an `atomic` directive
}
""",
        """
void count(const int *key, int n, int *times) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        times[key[i]]++;
    //  ^^^^^^^^^^^^^ warning: `times[key[i]]` is updated by iterations that find the same index and run at the same time: it needs an `atomic` directive
}
""",
    ),
    good=(
        """
void f(int n, double *a, const int *index, const double *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp atomic
        a[index[i]] += x[i];
    }
}
""",
        """
void f(int n, double *a, const int *index, const double *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] += x[index[i]];
}
""",
        """
static const int index[6] = {0, 4, 2, 6, 5, 8};
void f(double *a, const double *x) {
    #pragma omp parallel for
    for (int i = 0; i < 6; i++)
        a[index[i]] += x[i];
}
""",
        """
void f(int n, double *a, const int *start, const double *x) {
    for (int i = 0; i < n; i++)
        a[start[i]] += x[i];
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int k = start[i]; k < start[i + 1]; k++)
            a[k] = x[k];
}
""",
        """
void f(int n, double *a, const int *index) {
    double *p = a;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int k = index[i];
        #pragma omp critical
        p[k] += 1;
    }
}
""",
        """
void histogram(const unsigned char *data, unsigned long n, int *bins) {
    #pragma omp target teams distribute parallel for map(to: data[0:n]) map(tofrom: bins[0:16])
    for (unsigned long i = 0; i < n; i++) {
        #pragma omp atomic
        bins[data[i] >> 4]++;
    }
}
""",
        """
void seen(const unsigned char *data, unsigned long n, int *bins) {
    #pragma omp parallel for
    for (unsigned long i = 0; i < n; i++)
        bins[data[i] & 15] = 1;
}
""",
        """
void tiles(int n, const unsigned char *x, int *y) {
    #pragma omp parallel for
    for (int b = 0; b < n; b++)
        for (int i = 0; i < 16; i++)
            y[16 * b + (x[i] >> 4)] += i;
}
""",
    ),
    check=check,
)
