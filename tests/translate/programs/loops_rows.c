/* Collapsed nests of every shape: each element is visited once, by every schedule, with the right counters. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define MOST 7000
static int failures, seen[MOST], want[MOST];

static void check(const char *what, int n, int m, int l)
{
    for (int k = 0; k < MOST; k++)
        if (seen[k] != want[k]) {
            printf("%s of %d x %d x %d: element %d is %d, not %d\n", what, n, m, l, k, seen[k], want[k]);
            failures++;
            break;
        }
    memset(seen, 0, sizeof seen);
}

static void expected(int n, int m, int l)
{
    memset(want, 0, sizeof want);
    for (int k = 0; k < n * m * l; k++)
        want[k] = 1 + k / l / m + 100 * (k / l % m) + 10000 * (k % l);
}

#define TWO(what, directive)                                                                                           \
    _Pragma(directive) for (int i = 0; i < n; i++) for (int j = 3 * m; j > 0; j -= 3)                                  \
        seen[i * m + m - j / 3] += 1 + i + 10000 * (m - j / 3);                                                        \
    check(what, n, 1, m)

static void two(int n, int m)
{
    expected(n, 1, m);
    TWO("league", "omp target teams distribute parallel for collapse(2) map(tofrom: seen)");
    TWO("two teams", "omp target teams distribute parallel for collapse(2) map(tofrom: seen) num_teams(2) thread_limit(32)");
    TWO("static", "omp target teams distribute parallel for collapse(2) schedule(static) map(tofrom: seen)");
    TWO("static, 1", "omp target teams distribute parallel for collapse(2) schedule(static, 1) map(tofrom: seen)");
    TWO("static, 5", "omp target parallel for collapse(2) schedule(static, 5) map(tofrom: seen)");
    TWO("dynamic, 3", "omp target parallel for collapse(2) schedule(dynamic, 3) map(tofrom: seen)");
    TWO("guided", "omp target parallel for collapse(2) schedule(guided) map(tofrom: seen)");
    TWO("dist_schedule", "omp target teams distribute collapse(2) dist_schedule(static, 7) map(tofrom: seen) num_teams(3)");
}

static void three(int n, int m, int l)
{
    expected(n, m, l);
#pragma omp target teams distribute parallel for collapse(3) map(tofrom : seen)
    for (int i = n - 1; i >= 0; i--)
        for (long j = -5; j < m - 5; j++)
            for (unsigned k = 0; k < (unsigned)l; k++) {
                if (k == 1 && i == 0) {
                    seen[l * (j + 5) + k] += 1 + 100 * (j + 5) + 10000;
                    continue;
                }
                seen[(i * m + j + 5) * l + k] += 1 + i + 100 * (j + 5) + 10000 * k;
            }
    check("three", n, m, l);

    int i = -1, j = -2, k = -3;
#pragma omp target parallel for collapse(3) lastprivate(i, j, k) map(tofrom : seen, i, j, k)
    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++)
            for (k = 0; k < l; k++)
                seen[(i * m + j) * l + k] += 1 + i + 100 * j + 10000 * k;
    check("lastprivate", n, m, l);
    if (n * m * l > 0 && (i != n || j != m || k != l)) {
        printf("lastprivate: %d, %d, %d of %d x %d x %d\n", i, j, k, n, m, l);
        failures++;
    }
}

/* Counters that end where their type does, in rows of 1 and of many. */
static void to_the_end(int n)
{
    unsigned long sum = 0;
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : sum) map(tofrom : sum)
    for (int i = INT_MAX - 3; i < INT_MAX; i++)
        for (int j = INT_MIN + n; j > INT_MIN; j--)
            sum += (unsigned long)(INT_MAX - i) * 1000 + (unsigned long)(j - INT_MIN);
    unsigned long right = 6000ul * n + 3ul * n * (n + 1) / 2;
    if (sum != right) {
        printf("to the end: %lu, not %lu\n", sum, right);
        failures++;
    }
}

int main(void)
{
    static const int sizes[] = {0, 1, 2, 7, 31, 33, 83};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (int x = 0; x < SIZES; x++)
        for (int y = 0; y < SIZES; y++)
            two(sizes[x], sizes[y]);
    two(1, 6997);
    two(6997, 1);
    for (int x = 0; x < 5; x++)
        for (int y = 0; y < 5; y++) {
            three(sizes[x], sizes[y], 3);
            three(3, sizes[x], sizes[y]);
            three(sizes[y], 5, sizes[x]);
        }
    to_the_end(1);
    to_the_end(1000);
    return failures != 0;
}
