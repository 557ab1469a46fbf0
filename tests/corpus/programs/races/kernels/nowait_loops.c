#include <stdio.h>
#define N 1000
static double a[N + 1], b[N + 1], c[N + 1];
int main(void)
{
    for (int i = 0; i <= N; i++)
        a[i] = i;
    #pragma omp parallel
    {
        #pragma omp for schedule(static) nowait //@ good bad
        #pragma omp for schedule(dynamic) nowait //@ bad2 // or-here
        for (int i = 0; i < N; i++)
            b[i] = a[i] * 2; // expect: race
        #pragma omp for schedule(static) // or-here
        for (int i = 0; i < N; i++)
            c[i] = b[i] + 1; //@ good bad2 // or-here
            c[i] = b[N - 1 - i] + 1; //@ bad // or-here
    }
    printf("%g\n", c[10]);
    return 0;
}
