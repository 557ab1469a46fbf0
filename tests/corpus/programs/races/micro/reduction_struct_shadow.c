#include <stdio.h>
#include <math.h>
#define N 100
int main(void)
{
    double x[N], mean = 0, var = 0;
    for (int i = 0; i < N; i++) x[i] = i;
    #pragma omp parallel
    {
        #pragma omp for reduction(+: mean) nowait //@ bad
        #pragma omp for reduction(+: mean) //@ good
        for (int i = 0; i < N; i++) mean += x[i] / N;
        #pragma omp for reduction(+: var) // or-here
        for (int i = 0; i < N; i++) var += (x[i] - mean) * (x[i] - mean); // expect: race
    }
    printf("%g\n", var);
    return 0;
}
