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
An index that is worked out from data (kept in range by a condition, `b > 15 ? 15 : b`, or by a function) is judged alike.
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
        """
void clamped(int n, const int *value, int *bins) {
    #pragma omp target teams distribute parallel for map(to: value[0:n]) map(tofrom: bins[0:8])
    for (int i = 0; i < n; i++) {
        int bin = value[i];
        if (bin > 7)
            bin = 7;
        bins[bin]++;
    //  ^^^^^^^^^ warning: `bins[bin]` is updated by iterations that find the same index and run at the same time: it needs an `atomic` directive
    }
}
""",
        """
static int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
void weighted(int n, const float *x, const float *weight, float *bins, int *above) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        above[x[i] > 0.5f ? 1 : 0] += i;
    //  ^^^^^^^^^^^^^^^^^^^^^^^^^^ warning: `above[x[i] > 0.5f ? 1 : 0]` is updated by iterations that find the same index and run at the same time: it needs an `atomic` directive
        bins[clamp((int)(x[i] * 8), 0, 7)] += weight[i];
    //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ hint: `bins[clamp((int)(x[i] * 8), 0, 7)]` is right only if no two iterations find the same index: otherwise it needs `atomic`
    }
}
""",
        """
#include <math.h>
void counted(int n, const float *x, const unsigned char *text, int *bins, int *letters) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        unsigned char c = text[i];
        if (c >= 'A' && c <= 'Z')
            c += 32;
        if (c >= 'a' && c <= 'z')
            letters[c - 'a']++;
        //  ^^^^^^^^^^^^^^^^ hint: `letters[c - 'a']` is right only if no two iterations find the same index: otherwise it needs `atomic`
        bins[(int)fminf(x[i] * 8, 7)]++;
    //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning: `bins[(int)fminf(x[i] * 8, 7)]` is updated by iterations that find the same index and run at the same time: it needs an `atomic` directive
    }
}
""",
        """
struct picture { int width; int *bins; };
void rows(struct picture *p, int height, const float *pixels, int levels[3][8]) {
    #pragma omp parallel for
    for (int y = 0; y < height; y++) {
        const float *row = pixels + y * 640;
        for (int x = 0; x < 640; x++) {
            int at = (int)(row[x] * 8);
            if (at > 7)
                at = 7;
            p->bins[at]++;
        //  ^^^^^^^^^^^ warning: `p->bins[at]` is updated by iterations that find the same index and run at the same time: it needs an `atomic` directive
            levels[1][at]++;
        //  ^^^^^^^^^^^^^ warning: `levels[1][at]` is updated by iterations that find the same index and run at the same time: it needs an `atomic` directive
        }
    }
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
        """
static int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
void own(int n, const int *value, int *bins, int *to, int *counts) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        bins[8 * i + clamp(value[i], 0, 7)]++;
        int at = i;
        if (value[i] > 3)
            at = n + i;
        to[at] = value[i];
        int mine[8] = {0};
        for (int j = 0; j < 8; j++)
            mine[clamp(value[i] >> j, 0, 7)]++;
        counts[i] = mine[7];
    }
}
""",
        """
void rank(int n, const int *value, int *sorted) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int smaller = 0;
        for (int j = 0; j < n; j++)
            if (value[j] < value[i] || (value[j] == value[i] && j < i))
                smaller++;
        sorted[smaller] = value[i];
    }
}
""",
        """
#include <omp.h>
void threads(int n, const int *value, int *bins) {
    #pragma omp parallel
    {
        int thread;
        thread = omp_get_thread_num();
        #pragma omp for
        for (int i = 0; i < n; i++)
            bins[8 * thread + (value[i] > 7 ? 7 : value[i])]++;
    }
    #pragma omp parallel for reduction(+: bins[:8])
    for (int i = 0; i < n; i++)
        bins[value[i] > 7 ? 7 : value[i]]++;
}
""",
        """
void teams(int n, const int *value, int *bins) {
    #pragma omp target teams distribute map(to: value[0:64 * n]) map(tofrom: bins[0:8 * n])
    for (int team = 0; team < n; team++) {
        int local[8] = {0};
        #pragma omp parallel for
        for (int i = 0; i < 64; i++) {
            int bin = value[64 * team + i];
            if (bin > 7)
                bin = 7;
            #pragma omp atomic
            local[bin]++;
        }
        for (int i = 0; i < 8; i++)
            bins[8 * team + i] = local[i];
    }
}
""",
        """
void rows(int n, const int *value, int (*bins)[8], int *flat) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int bin = value[i];
        if (bin > 7)
            bin = 7;
        bins[i][bin]++;
        *(flat + (8 * i + bin)) += 1;
    }
}
""",
    ),
    check=check,
)
