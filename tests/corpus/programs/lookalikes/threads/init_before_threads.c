// Written before the parallel region and after it, read by all in it.
#include <stdio.h>
#include <stdlib.h>
#define N 64

static double table[N];
static int ready;

static double value(int i) { return ready ? table[i % N] : -1.0; }

int main(void)
{
    double sum = 0.0, scale;
    int errors = 0;
    for (int i = 0; i < N; i++)
        table[i] = i;
    ready = 1;
    scale = 0.5;
#pragma omp parallel for reduction(+: sum) shared(scale)
    for (int i = 0; i < 4 * N; i++)
        sum += scale * value(i);
    scale = 2.0;
    ready = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        if (value(i) != -1.0) {
#pragma omp atomic
            errors++;
        }
    return sum != 4032.0 || errors || scale != 2.0;
}
