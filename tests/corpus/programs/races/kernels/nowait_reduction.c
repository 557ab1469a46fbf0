#include <stdio.h>
#define N 1000
static double v[N];
int main(void)
{
    double norm = 0;
    for (int i = 0; i < N; i++)
        v[i] = i;
    #pragma omp parallel
    {
        #pragma omp for reduction(+: norm) //@ good
        #pragma omp for reduction(+: norm) nowait //@ bad // expect: race
        for (int i = 0; i < N; i++)
            norm += v[i] * v[i]; // or-here
        #pragma omp for
        for (int i = 0; i < N; i++)
            v[i] /= norm; // or-here
    }
    printf("%g\n", v[10]);
    return 0;
}
