/* Collapsed loops without a schedule, which a GPU runs over two and three dimensions of its grid. */
#include <omp.h>
#include <stdlib.h>

#include "expect.h"

/* Every iteration runs once, whatever the block is. */
static void each_once(int n, int m)
{
    char *seen = calloc((size_t)n * m + 1, 1);
    long sum = 0, want = 0, wrong = 0;
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : seen[0 : n * m]) reduction(+ : sum)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            seen[i * m + j]++;
            sum += 3 * i + j;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            want += 3 * i + j;
            wrong += seen[i * m + j] != 1;
        }
    expect(sum, want, "a sum over two dimensions");
    expect(wrong, 0, "iterations of two dimensions");

#pragma omp target teams distribute parallel for collapse(2) num_threads(256) num_teams(6) map(tofrom : seen[0 : n * m])
    for (int i = n - 1; i >= 0; i--)
        for (int j = 0; j != m; ++j)
            seen[i * m + j]++;
#pragma omp target teams loop collapse(2) num_teams(7) thread_limit(33) map(tofrom : seen[0 : n * m])
    for (int i = 0; i < n; i++)
        for (char *p = seen; p < seen + m; p++)
            p[i * m]++;
    wrong = 0;
    for (int k = 0; k < n * m; k++)
        wrong += seen[k] != 3;
    expect(wrong, 0, "iterations of given teams and threads");
    free(seen);
}

static void three(int n, int m, int l)
{
    unsigned char *seen = calloc((size_t)n * m * l + 1, 1);
    long wrong = 0;
    int last = -1, i = -7, j = -7, k = -7, first = 40;
#pragma omp target teams distribute parallel for collapse(3) lastprivate(last, i, j, k) firstprivate(first) \
    map(tofrom : seen[0 : n * m * l], last, i, j, k)
    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++)
            for (k = l - 1; k >= 0; k--) {
                seen[(i * m + j) * l + k] += first + 2;
                last = i * 10000 + j * 100 + k;
            }
    for (int at = 0; at < n * m * l; at++)
        wrong += seen[at] != 42;
    expect(wrong, 0, "iterations of three dimensions");
    if (n > 0 && m > 0 && l > 0) {
        expect(last, (n - 1) * 10000 + (m - 1) * 100, "the last value");
        expect(i * 10000 + j * 100 + k, n * 10000 + m * 100 - 1, "the last counters");
    } else {
        expect(last, -1, "no last value");
    }
    free(seen);
}

/* Numbers of teams and threads are those of a row of teams of a row of threads, as many as were asked for. */
static void numbers(int teams, int threads)
{
    enum { MOST = 64 * 1024 };
    static int seen[MOST];
    long wrong = 0, outside = 0, how_many = 0;
    for (int k = 0; k < MOST; k++)
        seen[k] = 0;
#pragma omp target teams distribute parallel for collapse(2) num_teams(teams) num_threads(threads) map(tofrom : seen) \
    reduction(+ : outside) reduction(max : how_many)
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < 300; j++) {
            int number = omp_get_team_num() * omp_get_num_threads() + omp_get_thread_num();
            outside += omp_get_team_num() < 0 || omp_get_team_num() >= omp_get_num_teams();
            outside += omp_get_thread_num() < 0 || omp_get_thread_num() >= omp_get_num_threads() || number >= MOST;
            seen[number]++; /* nobody else has this number */
            how_many = omp_get_num_threads();
        }
    for (int k = 0; k < MOST; k++)
        wrong += seen[k];
    expect(wrong, 30000, "threads with the same number");
    expect(outside, 0, "numbers that are too large");
    expect(how_many <= threads, 1, "the number of threads");
}

#pragma omp declare target
static int thread_here(void)
{
    return omp_get_thread_num();
}
#pragma omp end declare target

static void kinds_of_counters(void)
{
    long sum = 0, many = 0;
    const long long far = 3000000000LL;
    unsigned long long top = 0;
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : sum, many) reduction(max : top)
    for (long long i = far; i > far - 70; i -= 3)
        for (unsigned long long j = 18446744073709551000ull; j < 18446744073709551600ull; j += 7) {
            sum += i - far;
            many++;
            top = j > top ? j : top;
        }
    expect(many, 24 * 86, "iterations of 64-bit counters");
    expect(sum, -3 * (23 * 24 / 2) * 86, "their sum");
    expect((long)(top - 18446744073709551000ull), 85 * 7, "their largest");

    int table[9][5], *from = &table[0][0], wrong = 0;
#pragma omp target teams distribute parallel for simd collapse(2) map(from : table)
    for (signed char i = -4; i <= 4; i++)
        for (unsigned char j = 5; j > 0; j--)
            table[i + 4][j - 1] = i * 10 + j;
    for (int k = 0; k < 45; k++)
        wrong += from[k] != (k / 5 - 4) * 10 + k % 5 + 1;
    expect(wrong, 0, "small counters");
}

static void inside(int n)
{
    long sum = 0, threads = 0;
    int limit = 5;
#pragma omp target teams map(tofrom : sum, threads) reduction(+ : sum) firstprivate(limit) num_teams(4)
#pragma omp distribute parallel for collapse(2) reduction(+ : sum)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int mine = 0;
#pragma omp parallel reduction(+ : mine)
            for (int k = 0; k < limit; k++)
                mine += omp_get_level() == 2;
#pragma omp atomic
            threads += thread_here() < omp_get_num_threads();
            if (j == 3) continue;
            sum += mine > 0;
        }
    expect(threads, (long)n * n, "a function sees its thread");
    expect(sum, (long)n * (n - (n > 3)), "iterations with a nested region");

    long alone = 0;
#pragma omp target teams distribute parallel for collapse(2) if (parallel : n < 0) num_teams(2) reduction(+ : alone)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            alone += omp_get_num_threads() == 1 && omp_get_thread_num() == 0;
    expect(alone, (long)n * n, "teams of one thread");
}

/* Counters of 64 bits, whose number of iterations no type bounds. */
static void long_counters(long n, size_t rows, int few)
{
    long *had = calloc(n + 1, sizeof *had), wrong = 0;
#pragma omp target teams distribute parallel for map(tofrom : had[0 : n])
    for (long i = n - 1; i >= 3; i -= 7)
        had[i] += 1;
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : had[0 : n])
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 1; j < 40; j++)
            had[i * 40 + j] += 10;
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : had[0 : n])
    for (int i = 0; i < few; i++)
        for (long long j = -5; j < 30; j += 2)
            had[i * 40 + j + 5] += 100;
    for (long i = 0; i < n; i++)
        wrong += had[i] != (i >= 3 && (n - 1 - i) % 7 == 0) + 10 * (i % 40 > 0) + 100 * (i % 40 < 35 && i % 2 == 0);
    expect(wrong, 0, "counters of 64 bits");
    free(had);
}

int main(void)
{
    int sizes[][2] = {{1, 1}, {31, 33}, {33, 31}, {1000, 3}, {3, 1000}, {1, 2049}, {2049, 1}, {0, 9}, {9, 0}, {-3, 5}, {64, 256}};
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++)
        each_once(sizes[k][0] > 0 ? sizes[k][0] : 0, sizes[k][1]);
    three(1, 1, 1);
    three(2, 4, 32);
    three(5, 33, 31);
    three(70, 1, 3);
    three(3, 0, 4);
    numbers(6, 256);
    numbers(13, 96);
    numbers(12, 128);
    numbers(1, 33);
    numbers(60, 1);
    kinds_of_counters();
    inside(9);
    long_counters(1000, 25, 25);
    long_counters(0, 0, -3);
    enum size { SIZE = 40 } size = SIZE;
    int reached[SIZE] = {0}, sum_of_reached = 0;
#pragma omp target teams distribute parallel for
    for (int k = 0; k < size; k++)
        reached[k]++;
    for (int k = 0; k < SIZE; k++)
        sum_of_reached += reached[k];
    expect(sum_of_reached, SIZE, "a bound of an enumeration's type");
    return failures != 0;
}
