// `always` sends an input in every round that never changes.
#include <stdio.h>
#include <stdlib.h>

static double step(const double *k, double *u, int n)
{
    double s = 0.0;
#pragma omp target teams distribute parallel for reduction(+: s) map(always, to: k[0:n]) map(tofrom: u[0:n]) //@ bad // expect: hint
#pragma omp target teams distribute parallel for reduction(+: s) map(to: k[0:n]) map(tofrom: u[0:n]) //@ good
    for (int i = 0; i < n; i++) {
        u[i] += k[i];
        s += u[i];
    }
    return s;
}

int main(void)
{
    int n = 10;
    double *k = malloc(n * sizeof(double)), *u = calloc(n, sizeof(double)), s = 0.0;
    for (int i = 0; i < n; i++)
        k[i] = 1.0;
#pragma omp target data map(to: k[0:n]) map(tofrom: u[0:n]) // or-here
    for (int t = 0; t < 4; t++)
        s = step(k, u, n);
    free(k);
    free(u);
    return s != 40.0;
}
