// The matrix is filled after it was sent.
#include <stdio.h>
#include <stdlib.h>
#define N 20

static int *m;

static void fill(void)
{
    for (int i = 0; i < N * N; i++)
        m[i] = i % N;
}

int main(void)
{
    int trace = 0;
    m = malloc(N * N * sizeof(int));
    fill(); //@ good
#pragma omp target enter data map(to: m[0:N*N]) // or-here
    fill(); //@ bad // or-here
#pragma omp target map(tofrom: trace) // expect: mapping
    for (int i = 0; i < N; i++)
        trace += m[i * N + i]; // or-here
#pragma omp target exit data map(release: m[0:N*N])
    free(m);
    printf("%d\n", trace);
    return trace != N * (N - 1) / 2;
}
