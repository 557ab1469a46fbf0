/* heat: a plate in strips of rows, one on each device, whose borders the devices give to each other.
 *
 * What to look at: the plate is dealt out once and collected once (ompls_parts.h, which is plain OpenMP and can be copied to where
 * ompls is not); in between the host sends no numbers. What all devices need goes from one to the next, too.
 *     ompls run --device mpinode:3 examples/cluster/heat.c
 */
#include <math.h>
#include <omp.h>
#include <ompls_parts.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 300
#define COLUMNS 200
#define STEPS 40

#pragma omp declare target
static void relax(const double *now, double *next, const double *gain, int first, int last)
{
    #pragma omp parallel for
    for (int i = first; i < last; i++)
        for (int j = 1; j < COLUMNS - 1; j++) {
            const double *c = now + i * COLUMNS + j;
            next[i * COLUMNS + j] = *c + gain[j] * (c[-1] + c[1] + c[-COLUMNS] + c[COLUMNS] - 4 * *c);
        }
}
#pragma omp end declare target

int main(void)
{
    static double a[ROWS * COLUMNS], b[ROWS * COLUMNS], here[ROWS * COLUMNS], other[ROWS * COLUMNS], gain[COLUMNS];
    double worst = 0, sum = 0;
    ompls_parts of_a, of_b;
    for (int j = 0; j < COLUMNS; j++) {
        gain[j] = 0.2 + 0.04 * j / COLUMNS;
        a[j] = b[j] = here[j] = other[j] = 100;
    }
    if (ompls_split(&of_a, a, COLUMNS * sizeof *a, ROWS, 1, 0) != 0 || ompls_split(&of_b, b, COLUMNS * sizeof *b, ROWS, 1, 0) != 0)
        return 2;
    int devices = of_a.devices;
    for (int d = 0; d < devices; d++) {
        #pragma omp target enter data device(d) map(alloc: gain)
    }
    int failed = ompls_spread(gain, sizeof gain, devices);
    for (int s = 0; s < STEPS; s++) {
        double *now = s % 2 ? b : a, *next = s % 2 ? a : b;
        #pragma omp parallel for num_threads(devices)
        for (int d = 0; d < devices; d++) {
            int begin = ompls_first_there(&of_a, d) * COLUMNS, length = ompls_rows_there(&of_a, d) * COLUMNS;
            int first = d > 0 ? ompls_first(&of_a, d) : 1, last = d + 1 < devices ? ompls_first(&of_a, d + 1) : ROWS - 1;
            #pragma omp target device(d) map(to: now[begin:length]) map(next[begin:length])
            relax(now, next, gain, first, last);
        }
        failed |= ompls_exchange(s % 2 ? &of_a : &of_b);
    }
    failed |= ompls_collect(STEPS % 2 ? &of_b : &of_a);
    for (int d = 0; d < devices; d++) {
        #pragma omp target exit data device(d) map(release: gain)
    }
    failed |= ompls_release(&of_a) | ompls_release(&of_b);

    for (int s = 0; s < STEPS; s++)
        relax(s % 2 ? other : here, s % 2 ? here : other, gain, 1, ROWS - 1);
    const double *result = STEPS % 2 ? b : a, *expected = STEPS % 2 ? other : here;
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        sum += result[i];
        worst = fmax(worst, fabs(result[i] - expected[i]));
    }
    int wrong = failed != 0 || worst > 1e-9;
    printf("heat: %d steps, heat %.6f, %s\n", STEPS, sum, wrong ? "wrong" : "correct");
    return wrong;
}
