// The section leaves the borders out, and the kernel does not touch them.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 50, lo = 5, len = 30;
    double *u = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++)
        u[i] = 1.0;
#pragma omp target teams distribute parallel for map(tofrom: u[lo:len])
    for (int i = lo; i < lo + len; i++)
        u[i] = 2.0;
    int wrong = u[4] != 1.0 || u[5] != 2.0 || u[34] != 2.0 || u[35] != 1.0;
    free(u);
    return wrong;
}
