/* Which threads share the iterations of a loop: those that it binds to.  Every team or thread runs the others whole. */
#include <omp.h>

#include "expect.h"

enum { N = 7, M = 5 };

#pragma omp declare target
static void once_more(int *count)
{
#pragma omp atomic
    (*count)++;
}
#pragma omp end declare target

/* How often each iteration of the loop after two directives runs, when it is the same for all; else -1. */
#define TIMES(times, outer, inner)                            \
    do {                                                      \
        int count[N * M] = {0};                               \
        _Pragma(outer) _Pragma(inner)                         \
        for (int i = 0; i < N; i++)                           \
            for (int j = 0; j < M; j++)                       \
                once_more(&count[i * M + j]);                \
        times = count[0];                                     \
        for (int k = 0; k < N * M; k++)                       \
            times = count[k] == count[0] ? times : -1;        \
    } while (0)

#define TEAMS "omp target teams num_teams(4) map(tofrom : count)"
#define THREADS "omp target parallel num_threads(4) map(tofrom : count)"

static void loops(void)
{
    int times;
    TIMES(times, TEAMS, "omp loop collapse(2)");
    expect(times, 1, "loop in teams");
    TIMES(times, TEAMS, "omp loop collapse(2) bind(teams)");
    expect(times, 1, "loop bind(teams) in teams");
    TIMES(times, TEAMS, "omp loop collapse(2) bind(parallel)");
    expect(times, 4, "loop bind(parallel) in teams");
    TIMES(times, TEAMS, "omp loop collapse(2) bind(thread)");
    expect(times, 4, "loop bind(thread) in teams");
    TIMES(times, TEAMS, "omp parallel loop collapse(2) num_threads(8)");
    expect(times, 4, "parallel loop in teams");
    TIMES(times, TEAMS, "omp parallel loop");
    expect(times, 4, "parallel loop in teams, one loop");
    TIMES(times, TEAMS, "omp parallel for collapse(2)");
    expect(times, 4, "parallel for in teams");
    TIMES(times, THREADS, "omp loop collapse(2)");
    expect(times, 1, "loop in parallel");
    TIMES(times, THREADS, "omp loop bind(thread)");
    expect(times, 4, "loop bind(thread) in parallel");
    TIMES(times, THREADS, "omp loop bind(parallel)");
    expect(times, 1, "loop bind(parallel) in parallel");
}

/* Bounds that only the device can read are kept, and of several the innermost counts. */
static void bounds(int wanted)
{
    int most[1] = {wanted}, teams = 0, threads = 0;
#pragma omp target map(tofrom : teams, threads) map(to : most)
#pragma omp teams distribute parallel for num_teams(most[0]) thread_limit(most[0]) reduction(max : teams, threads)
    for (int i = 0; i < 5000; i++) {
        teams = omp_get_num_teams();
        threads = omp_get_num_threads();
    }
    expect(teams >= 1 && teams <= wanted, 1, "num_teams of an element");
    expect(threads >= 1 && threads <= wanted, 1, "thread_limit of an element");
    threads = 0;
#pragma omp target map(tofrom : threads) thread_limit(64)
#pragma omp teams distribute parallel for thread_limit(wanted) reduction(max : threads)
    for (int i = 0; i < 5000; i++)
        threads = omp_get_num_threads();
    expect(threads >= 1 && threads <= wanted, 1, "thread_limit of two constructs");
}

int main(void)
{
    loops();
    bounds(3);
    return failures != 0;
}
