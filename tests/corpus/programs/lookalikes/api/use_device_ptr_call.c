// A library wants device pointers.
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

static void device_scale(double *d, int n, double f)
{
#pragma omp target teams distribute parallel for is_device_ptr(d)
    for (int i = 0; i < n; i++)
        d[i] *= f;
}

int main(void)
{
    int n = 33;
    double *x = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++)
        x[i] = 1.0;
#pragma omp target data map(tofrom: x[0:n])
    {
#pragma omp target data use_device_ptr(x)
        {
            device_scale(x, n, 4.0);
            double *second = x + 1;
            device_scale(second, n - 1, 0.5);
        }
    }
    int wrong = x[0] != 4.0 || x[32] != 2.0;
    free(x);
    return wrong;
}
