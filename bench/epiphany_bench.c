/* epiphany_bench.c -- what kernels cost on the emulated board, in microseconds: medians, so that a busy moment does not count.
 *
 * An empty kernel, one that starts a team, and a round of one that stays on its cores (examples/epiphany/saxpy.c), alone and
 * with a team. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef TIMES
#define TIMES 400
#endif
enum { N = 256 };

static float x[N], y[N];
static int round_number, served; /* written by the host, and by the kernel */
static double took[TIMES];

static int compare(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static void print(const char *name)
{
    qsort(took, TIMES, sizeof *took, compare);
    printf("%s %.2f\n", name, took[TIMES / 2] * 1e6);
}

static void empty(void)
{
    for (int i = 0; i < TIMES; i++) {
        const double begin = omp_get_wtime();
        #pragma omp target
        {
        }
        took[i] = omp_get_wtime() - begin;
    }
    print("empty");
}

static void team(int cores)
{
    #pragma omp target data map(to: x) map(tofrom: y)
    for (int i = 0; i < TIMES; i++) {
        const double begin = omp_get_wtime();
        #pragma omp target parallel for num_threads(cores)
        for (int k = 0; k < N; k++)
            y[k] += 0.5f * x[k];
        took[i] = omp_get_wtime() - begin;
    }
    printf("team_");
    print(cores == 4 ? "4" : "16");
}

static void resident(int cores)
{
    round_number = served = 0;
    #pragma omp target enter data map(to: x, y, round_number, served)
    #pragma omp target map(x, y, round_number, served) nowait
    {
        int now;
        #pragma omp parallel num_threads(cores)
        for (int round = 1;; round++) {
            #pragma omp masked
            for (;;) {
                #pragma omp atomic read acquire
                now = round_number;
                if (now < 0 || now >= round)
                    break;
                #pragma omp taskyield
            }
            #pragma omp barrier
            if (now < 0)
                break;
            #pragma omp for
            for (int i = 0; i < N; i++)
                y[i] += 0.5f * x[i];
            #pragma omp masked
            {
                #pragma omp atomic write release
                served = round;
            }
        }
    }
    for (int round = 0, seen; round <= TIMES; round++) { /* the first one waits for the cores */
        const double begin = omp_get_wtime();
        round_number = round + 1;
        #pragma omp target update to(x, round_number)
        do {
            #pragma omp target update from(served)
            seen = served;
        } while (seen <= round);
        if (round > 0)
            took[round - 1] = omp_get_wtime() - begin;
    }
    round_number = -1;
    #pragma omp target update to(round_number)
    #pragma omp taskwait
    #pragma omp target exit data map(from: y) map(release: x, round_number, served)
    printf("resident_");
    print(cores == 1 ? "1" : cores == 2 ? "2" : "4");
}

int main(void)
{
    empty();
    team(4);
    team(16);
    resident(1);
    resident(2);
    resident(4);
    return 0;
}
