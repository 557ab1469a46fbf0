// A pool of device memory; host arrays are associated with parts of it.
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

int main(void)
{
    int dev = omp_get_default_device(), n = 16;
    if (omp_get_num_devices() == 0)
        return 0;
    double *a = calloc(n, sizeof(double)), *b = calloc(n, sizeof(double));
    double *pool = omp_target_alloc(2 * n * sizeof(double), dev);
    omp_target_associate_ptr(a, pool, n * sizeof(double), 0, dev);
    omp_target_associate_ptr(b, pool, n * sizeof(double), n * sizeof(double), dev);
    a[3] = 5.0;
#pragma omp target update to(a[0:n], b[0:n])
#pragma omp target
    for (int i = 0; i < n; i++)
        b[i] = 2.0 * a[i];
#pragma omp target update from(b[0:n])
    omp_target_disassociate_ptr(a, dev);
    omp_target_disassociate_ptr(b, dev);
    omp_target_free(pool, dev);
    int wrong = b[3] != 10.0;
    free(a);
    free(b);
    return wrong;
}
