// A device may overwrite its copy of an input.
#include <stdio.h>
#include <stdlib.h>
static void solve(const double *a0, double *a, double *b, int n)
{
    for (int i = 0; i < n; i++) a[i] = a0[i];
#pragma omp target map(to: a[0:n]) map(tofrom: b[0:n]) //@ good
#pragma omp target map(to: a[0:n], b[0:n]) //@ bad // expect: mapping [bad]
    for (int i = 0; i < n; i++) { a[i] = 1 / a[i]; b[i] *= a[i]; }
}
int main(void)
{
    int n = 12;
    double *a0 = malloc(n * sizeof *a0), *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    for (int i = 0; i < n; i++) { a0[i] = i + 1; b[i] = 1; }
    for (int k = 0; k < 3; k++) solve(a0, a, b, n);
#pragma omp target map(to: a0[0:n]) map(tofrom: b[0:n])
    for (int i = 0; i < n; i++) b[i] *= a0[i];
    printf("%g\n", b[2]); // expect: mapping [bad]
    free(a0); free(a); free(b);
    return 0;
}
