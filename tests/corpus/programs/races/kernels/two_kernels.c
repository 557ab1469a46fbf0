#include <stdio.h>
#include <stdlib.h>
void pipeline(float *a, float *b, int n)
{
    #pragma omp target data map(tofrom: a[0:n]) map(tofrom: b[0:n])
    {
        #pragma omp target teams distribute parallel for nowait depend(out: a[0]) //@ good bad
        #pragma omp target teams distribute parallel for nowait //@ bad2 // or-here
        for (int i = 0; i < n; i++)
            a[i] = a[i] * 2; // or-here
        #pragma omp target teams distribute parallel for nowait depend(in: a[0]) //@ good
        #pragma omp target teams distribute parallel for nowait //@ bad // or-here
        #pragma omp target teams distribute parallel for //@ bad2 // or-here
        for (int i = 0; i < n; i++)
            b[i] = a[i] + 1; // expect: race
        #pragma omp taskwait
    }
}
int main(void)
{
    int n = 1000;
    float *a = calloc(n, 4), *b = calloc(n, 4);
    pipeline(a, b, n);
    printf("%g\n", b[3]);
    free(a), free(b);
    return 0;
}
