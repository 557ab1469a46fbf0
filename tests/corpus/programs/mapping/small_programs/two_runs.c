// The same computation twice, begun anew in between.
#include <stdlib.h>
#include <stdio.h>
#define N 100
static double *T, *Q;
static void reset(void)
{
    for (int i = 0; i < N; i++) T[i] = Q[i] = 0;
    T[0] = 100;
#pragma omp target update to(T[0:N], Q[0:N]) //@ good
#pragma omp target update to(Q[0:N]) //@ bad
}
static void advance(int steps)
{
    for (int s = 0; s < steps; s++) {
#pragma omp target teams distribute parallel for // or-here
        for (int i = 1; i < N - 1; i++) Q[i] = 0.25 * (T[i - 1] - 2 * T[i] + T[i + 1]); // expect: mapping [bad]
#pragma omp target teams distribute parallel for
        for (int i = 1; i < N - 1; i++) T[i] += Q[i];
    }
}
int main(void)
{
    T = malloc(N * sizeof *T);
    Q = malloc(N * sizeof *Q);
    double first = 0, second;
#pragma omp target enter data map(alloc: T[0:N], Q[0:N]) // or-here [bad]
    reset();
    advance(10);
#pragma omp target update from(T[0:N])
    first = T[3];
    reset();
    advance(10);
#pragma omp target update from(T[0:N])
    second = T[3];
#pragma omp target exit data map(delete: T[0:N], Q[0:N])
    free(T);
    free(Q);
    printf("%g %g\n", first, second);
    return first != second || !(first > 0 && first < 100);
}
