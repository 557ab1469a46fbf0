// Device writes to `alloc` and `to` data that the host never reads.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 90;
    double *x = malloc(n * sizeof(double)), *tmp = malloc(n * sizeof(double)), s = 0.0;
    for (int i = 0; i < n; i++)
        x[i] = 1.0;
#pragma omp target data map(to: x[0:n]) map(alloc: tmp[0:n])
    {
#pragma omp target teams distribute parallel for
        for (int i = 0; i < n; i++)
            tmp[i] = 2.0 * x[i];
#pragma omp target teams distribute parallel for
        for (int i = 0; i < n; i++)
            x[i] = tmp[i];
#pragma omp target teams distribute parallel for reduction(+: s)
        for (int i = 0; i < n; i++)
            s += x[i];
    }
    free(x);
    free(tmp);
    return s != 180.0;
}
