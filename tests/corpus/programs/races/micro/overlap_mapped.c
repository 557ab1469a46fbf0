#include <stdio.h>
#include <stdlib.h>
#define N 1000
int main(void)
{
    double *a = malloc(N * sizeof *a);
    for (int i = 0; i < N; i++) a[i] = i;
    #pragma omp target enter data map(to: a[0:N])
    #pragma omp target nowait map(a[0:N/2])
    for (int i = 0; i < N / 2; i++) a[i] *= 3;
    #pragma omp target nowait map(a[N/2:N/2]) //@ good
    for (int i = N / 2; i < N; i++) a[i] *= 3; //@ good
    #pragma omp target nowait map(a[N/4:N/2]) //@ bad // or-here
    for (int i = N / 4; i < N / 4 + N / 2; i++) a[i] *= 3; //@ bad // expect: race
    #pragma omp taskwait
    #pragma omp target exit data map(from: a[0:N])
    printf("%g\n", a[300]);
    free(a);
    return 0;
}
