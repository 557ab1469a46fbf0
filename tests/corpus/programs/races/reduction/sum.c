// The sum without reduction, with the wrong one, and with the right one.
#include <stdio.h>
#include <stdlib.h>

static double dot(const double *x, const double *y, int n)
{
    double s = 0.0;
#pragma omp target teams distribute parallel for map(to: x[0:n], y[0:n]) map(tofrom: s) //@ bad
#pragma omp target teams distribute parallel for map(to: x[0:n], y[0:n]) map(tofrom: s) reduction(+: s) //@ good
    for (int i = 0; i < n; i++)
        s += x[i] * y[i]; // expect: race
    return s;
}

int main(void)
{
    int n = 500;
    double *x = malloc(n * sizeof(double)), *y = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++) {
        x[i] = 2.0;
        y[i] = 0.5;
    }
    double s = dot(x, y, n);
    free(x);
    free(y);
    return s != n;
}
