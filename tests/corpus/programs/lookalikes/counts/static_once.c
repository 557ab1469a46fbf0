// Entered once for the life of the process, in a library without an end.
#include <stdlib.h>

static double *coefficients;
static int loaded;

static void load(int n)
{
    if (loaded)
        return;
    coefficients = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++)
        coefficients[i] = 1.0 / (i + 1);
#pragma omp target enter data map(to: coefficients[0:n])
    loaded = 1;
}

double series(int n, double x)
{
    double s = 0.0;
    load(n);
    double *c = coefficients;
#pragma omp target teams distribute parallel for reduction(+: s)
    for (int i = 0; i < n; i++)
        s += c[i] * x;
    return s;
}
//@ run {
int main(void)
{
    return series(2, 2.0) != 3.0 || series(2, 4.0) != 6.0;
}
