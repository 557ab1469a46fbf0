// alloc, filled by one kernel and read by the next, in functions.
#include <stdio.h>
#include <stdlib.h>

static void fill(double *t, int n) {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        t[i] = i;
}

static double sum(const double *t, int n) {
    double s = 0.0;
#pragma omp target teams distribute parallel for reduction(+: s)
    for (int i = 0; i < n; i++)
        s += t[i];
    return s;
}

int main(void)
{
    int n = 10;
    double *t = malloc(n * sizeof(double)), s;
#pragma omp target enter data map(alloc: t[0:n])
    fill(t, n);
    s = sum(t, n);
#pragma omp target exit data map(delete: t[0:n])
    free(t);
    return s != 45.0;
}
