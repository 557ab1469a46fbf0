// The same code with and without a device: is_initial_device tells, if() switches.
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>
#define BIG 1000

static double sum(const double *x, int n)
{
    double s = 0.0;
#pragma omp target teams distribute parallel for reduction(+: s) map(to: x[0:n]) if(target: n > BIG)
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}

int main(void)
{
    double x[64];
    int where = -1;
    for (int i = 0; i < 64; i++)
        x[i] = 0.25;
#pragma omp target map(from: where)
    where = omp_is_initial_device();
    printf("%s\n", where ? "host" : "device");
    return sum(x, 64) != 16.0;
}
