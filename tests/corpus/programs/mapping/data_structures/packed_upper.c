// The diagonal of a packed matrix.
#include <stdio.h>
#include <stdlib.h>
static double trace(const double *a, int n)
{
    double t = 0;
#pragma omp target teams distribute parallel for reduction(+: t) map(tofrom: t) map(to: a[0:n * (n + 1) / 2]) //@ good
#pragma omp target teams distribute parallel for reduction(+: t) map(tofrom: t) map(to: a[0:n]) //@ bad // expect: mapping [bad]
#pragma omp target teams distribute parallel for reduction(+: t) map(tofrom: t) map(to: a[0:n * n / 2]) //@ bad2 // expect: mapping [bad2]
    for (int i = 0; i < n; i++) t += a[i * (i + 1) / 2 + i]; // expect: mapping [bad bad2]
    return t;
}
int main(void)
{
    int n = 25;
    double *a = malloc(n * (n + 1) / 2 * sizeof *a);
    for (int i = 0; i < n * (n + 1) / 2; i++) a[i] = 1;
    printf("%g\n", trace(a, n));
    free(a);
    return 0;
}
