// The function that computes also fetches.
#include <stdio.h>
#include <stdlib.h>

static double energy(double *p, int n)
{
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        p[i] *= p[i];
#pragma omp target update from(p[0:n])
    double e = 0.0;
    for (int i = 0; i < n; i++)
        e += p[i];
    return e;
}

int main(void)
{
    int n = 6;
    double *p = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++)
        p[i] = 2.0;
#pragma omp target enter data map(to: p[0:n])
    double e = energy(p, n);
    double first = p[0];
#pragma omp target exit data map(delete: p[0:n])
    free(p);
    return e != 24.0 || first != 4.0;
}
