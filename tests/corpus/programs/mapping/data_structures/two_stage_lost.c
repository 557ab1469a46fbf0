// What one kernel computes the next one reads.
#include <stdio.h>
#include <stdlib.h>
static void predict(double *x, double *v, int n)
{
#pragma omp target teams distribute parallel for map(tofrom: x[0:n]) map(to: v[0:n]) //@ good bad2
#pragma omp target teams distribute parallel for map(to: x[0:n], v[0:n]) //@ bad // expect: mapping [bad]
    for (int i = 0; i < n; i++) x[i] += v[i];
}
static void correct(double *x, double *v, int n)
{
#pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: v[0:n]) //@ good bad
#pragma omp target teams distribute parallel for map(to: x[0:n], v[0:n]) //@ bad2 // expect: mapping [bad2]
    for (int i = 0; i < n; i++) v[i] -= 0.1 * x[i]; // expect: mapping [bad]
}
int main(void)
{
    int n = 64;
    double *x = malloc(n * sizeof *x), *v = malloc(n * sizeof *v);
    for (int i = 0; i < n; i++) { x[i] = i; v[i] = 1; }
    for (int t = 0; t < 10; t++) { predict(x, v, n); correct(x, v, n); }
    printf("%g %g\n", x[3], v[3]); // expect: mapping [bad bad2]
    free(x); free(v);
    return 0;
}
