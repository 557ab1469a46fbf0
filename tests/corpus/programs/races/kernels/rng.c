#include <stdio.h>
#define N 10000
static unsigned seed = 12345;
#pragma omp threadprivate(seed) //@ good
static double uniform(void)
{
    seed = seed * 1664525u + 1013904223u; // expect: race
    return seed / 4294967296.0; // or-here
}
int main(void)
{
    long in = 0;
    #pragma omp parallel for reduction(+: in) //@ bad // or-here
    #pragma omp parallel for reduction(+: in) copyin(seed) //@ good
    for (int i = 0; i < N; i++) {
        double x = uniform(), y = uniform();
        if (x * x + y * y < 1)
            in++;
    }
    printf("%g\n", 4.0 * in / N);
    return 0;
}
