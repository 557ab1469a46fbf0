// A kernel maps one element more than its caller did.
#include <stdio.h>
#include <stdlib.h>

static double norm(const double *x, int n)
{
    double s = 0.0;
#pragma omp target teams distribute parallel for reduction(+: s) map(to: x[0:n+1]) //@ bad // expect: mapping
#pragma omp target teams distribute parallel for reduction(+: s) map(to: x[0:n]) //@ good
#pragma omp target teams distribute parallel for reduction(+: s) map(to: x[0:n-1]) //@ good2
    for (int i = 0; i < n; i++) //@ bad good
    for (int i = 0; i < n - 1; i++) //@ good2
        s += x[i] * x[i];
    return s;
}

int main(void)
{
    int n = 50;
    double *x = malloc((n + 1) * sizeof(double));
    for (int i = 0; i <= n; i++)
        x[i] = 1.0;
    double s = 0.0;
#pragma omp target data map(to: x[0:n]) // or-here
    s = norm(x, n); // or-here
    free(x);
    printf("%g\n", s);
    return s < n - 1;
}
