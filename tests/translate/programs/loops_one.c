/* Loops that one thread runs: simd with its clauses, taskloop, `loop` by what it binds to. */
#include "expect.h"

#define N 100
#pragma omp declare target
static int table[N];
static void shared_by_threads(int *counts, int n)
{
#pragma omp loop bind(parallel)
    for (int i = 0; i < n; i++)
        counts[i]++;
}
static long by_each_thread(const int *counts, int n)
{
    long sum = 0;
#pragma omp loop bind(thread) reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += counts[i];
    return sum;
}
#pragma omp end declare target

int main(void)
{
    int a[N] = {0}, j = 5, last = -1, i = 0, seed = 7;
    long sum = 0;
#pragma omp target map(tofrom : a, j, last, i, sum)
    {
#pragma omp simd linear(j : 3) lastprivate(last) reduction(+ : sum) safelen(4) aligned(a : 4)
        for (i = 0; i < N; i++) {
            a[i] = j;
            last = i * 2;
            sum += i;
            j += 3;
        }
    }
    expect(j, 5 + 3 * N, "linear");
    expect(a[N - 1], 5 + 3 * (N - 1), "linear in an iteration");
    expect(last, 2 * N - 2, "lastprivate");
    expect(i, N, "the counter");
    expect(sum, N * (N - 1) / 2, "a sum");
    int row = -1, column = -1;
    i = -1;
#pragma omp target map(tofrom : i)
#pragma omp teams distribute parallel for simd default(none) shared(table)
    for (i = 0; i < N; i++)
        table[i] = i;
#pragma omp target map(tofrom : row, column)
#pragma omp teams default(none) shared(table, row, column)
#pragma omp distribute simd collapse(2)
    for (row = 0; row < 10; row++)
        for (column = 0; column < 10; column++)
            table[10 * row + column]++;
#pragma omp target teams distribute parallel for default(none) shared(table)
    for (int k = 0; k < N; k++)
        table[k]++;
#pragma omp target update from(table)
    expect(i, N, "the counter of a loop that is simd, too");
    expect(row + column, 20, "two counters");
    expect(table[99], 101, "a declare target array, shared");

    sum = 0;
#pragma omp target map(tofrom : a, sum, last) map(to : seed)
    {
#pragma omp parallel num_threads(5)
#pragma omp single
        {
#pragma omp taskloop firstprivate(seed) lastprivate(last) grainsize(10)
            for (int k = 0; k < N; k++) {
                last = k;
                a[k] = seed;
            }
#pragma omp taskloop reduction(+ : sum) num_tasks(4) collapse(2)
            for (int k = 0; k < N; k++)
                for (int l = 0; l < 3; l++)
                    sum += a[k] + l;
        }
    }
    expect(last, N - 1, "taskloop lastprivate");
    expect(sum, 3 * N * 7 + 3 * N, "taskloop reduction");

    int counts[N] = {0};
    long total = 0;
#pragma omp target map(tofrom : counts, total)
#pragma omp parallel num_threads(7) reduction(+ : total)
    {
        shared_by_threads(counts, N);
        shared_by_threads(counts, N);
#pragma omp barrier
        total += by_each_thread(counts, N);
#pragma omp barrier
#pragma omp loop order(concurrent)
        for (int k = 0; k < N; k++)
            counts[k] += 4;
    }
    expect(total % (2 * N), 0, "bind(thread)");
    expect(total > 0, 1, "some thread");
#pragma omp target teams num_teams(3) map(tofrom : counts)
#pragma omp loop bind(teams)
    for (int k = 0; k < N; k++)
        counts[k] += 8;
    long bad = 0;
    for (int k = 0; k < N; k++)
        bad += counts[k] != 14;
    expect(bad, 0, "each once");
    return failures != 0;
}
