/* OpenMP newer than 4.5, outside of regions and in one: a board's gcc 7 gets it in its own words. */
#include <omp.h>
#include <stdio.h>

enum { N = 64 };

static int errors;

static void expect(long found, long wanted, const char *what) {
    if (found == wanted) return;
    printf("%s: %ld, not %ld\n", what, found, wanted);
    errors++;
}

static void threads(void) {
    int first = 0, second = 0, once = 0, both = 0, tasks = 0, of_master = 0, in_scope = 0;
#pragma omp parallel num_threads(2) proc_bind(primary)
    {
#pragma omp masked
        first++;
        if (omp_get_num_threads() == 2)
#pragma omp masked filter(1)
            second++;
        else
            second--;
#pragma omp scope
        {
#pragma omp atomic acq_rel hint(omp_sync_hint_uncontended)
            in_scope++;
        }
        expect(in_scope, 2, "behind scope, all have been in it");
#pragma omp flush acquire
    }
#pragma omp parallel masked num_threads(2) filter(0)
    once++;
#pragma omp parallel master num_threads(2)
    of_master++;
#pragma omp parallel masked taskloop num_threads(2) shared(both) num_tasks(4)
    for (int i = 0; i < N; i++)
#pragma omp atomic relaxed
        both++;
#pragma omp parallel num_threads(2)
#pragma omp masked taskloop simd shared(tasks) grainsize(8)
    for (int i = 0; i < N; i++)
#pragma omp atomic
        tasks++;
    expect(first, 1, "masked");
    expect(second, 1, "masked with a filter");
    expect(once, 1, "parallel masked");
    expect(of_master, 1, "parallel master");
    expect(both, N, "parallel masked taskloop");
    expect(tasks, N, "masked taskloop simd");
}

static void dependences(void) {
    int x = 1, sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : x) shared(x)
        x = 5;
#pragma omp taskwait depend(in : x)
        expect(x, 5, "taskwait with a dependence");
        for (int k = 0; k < 8; k++)
#pragma omp task depend(mutexinoutset : sum) shared(sum) affinity(sum)
            sum += k;
#pragma omp taskwait
    }
    expect(sum, 28, "mutexinoutset");
}

static void loops(int n) {
    int a[N] = {0}, sum = 0, pairs = 0, teams = 0, *end = a + n;
#pragma omp parallel for reduction(default, + : sum) order(concurrent)
    for (int i = 0; i != n; ++i)
        sum += i;
#pragma omp parallel for
    for (int *p = a; end != p; p++)
        *p = 1;
#pragma omp simd if (n > 4) nontemporal(a)
    for (int i = n; i != 0; i--)
        a[i - 1] += 1;
#pragma omp parallel for collapse(2) reduction(+ : pairs)
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            pairs += a[j] - 1;
#pragma omp parallel loop
    for (int i = 0; i < n; i++)
        a[i]++;
#pragma omp parallel
#pragma omp loop bind(parallel) collapse(1)
    for (int i = 0; i < n; i++)
        a[i]++;
#pragma omp loop bind(thread)
    for (int i = 0; i < n; i++)
        a[i]++;
#pragma omp parallel for simd
    for (int i = 0; i < n; i++)
#pragma omp atomic
        a[0]++;
#pragma omp target teams loop num_teams(1 : 2) map(tofrom : a) reduction(+ : teams)
    for (int i = 0; i < n; i++) {
        a[i]++;
        teams++;
    }
    expect(sum, n * (n - 1) / 2, "a loop with !=");
    expect(pairs, n * (n + 1) / 2, "a triangle");
    expect(a[1], 6, "loops");
    expect(a[0], 6 + n, "atomics in lanes");
    expect(teams, n, "a loop of a region");
}

int main(void) {
    threads();
    dependences();
    loops(N);
    puts(errors == 0 ? "newer: correct" : "newer: wrong");
    return errors != 0;
}
