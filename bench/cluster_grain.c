/* A stencil of two cells, one on a node and one here, which exchange their values after each step: seconds of a step for tasks of
   several lengths, as `turns alone together` lines.  cluster_bench.py reads them, and calls `work` in processes that speak MPI. */
#include <stdio.h>

#ifdef _OPENMP
#include <omp.h>
#else
static double omp_get_wtime(void) { return 0; }
#endif

#ifdef SMALLEST
enum { STEPS = 1, SHORTEST = 1 << 6, LONGEST = 1 << 6 };
#else
enum { STEPS = 200, SHORTEST = 1 << 6, LONGEST = 1 << 22 };
#endif

/* A chain that no compiler shortens. */
#pragma omp declare target
double work(double x, long turns)
{
    for (long i = 0; i < turns; i++) x = x * 0.999999 + 1e-6;
    return x;
}
#pragma omp end declare target

int main(void)
{
    double here = 2, there = 3, next = 0;
    for (long turns = SHORTEST; turns <= LONGEST; turns *= 2) {
        double begin = omp_get_wtime();
        for (int step = 0; step < STEPS; step++) here = work(here, turns);
        double alone = omp_get_wtime() - begin;
        begin = omp_get_wtime();
        for (int step = 0; step < STEPS; step++) {
            #pragma omp target nowait map(from: next) firstprivate(here)
            next = work(here, turns);
            double mine = work(there, turns);
            #pragma omp taskwait
            there = next, here = mine;
        }
        double together = omp_get_wtime() - begin;
        printf("%ld %.9f %.9f\n", turns, alone / STEPS, together / STEPS);
    }
    return here + there < 1;
}
