// Two devices (or one, twice) with memory of their own each.
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

int main(void)
{
    int devices = omp_get_num_devices(), n = 10, r[10] = { 0 };
    if (devices == 0)
        return 0;
    int first = 0, second = devices > 1 ? 1 : 0, host = omp_get_initial_device();
    size_t bytes = n * sizeof(int);
    int *a = omp_target_alloc(bytes, first), *b = omp_target_alloc(bytes, second);
#pragma omp target is_device_ptr(a) device(first)
    for (int i = 0; i < n; i++)
        a[i] = i + 1;
    omp_target_memcpy(b, a, bytes, 0, 0, second, first);
#pragma omp target is_device_ptr(b) device(second)
    for (int i = 0; i < n; i++)
        b[i] *= 2;
    omp_target_memcpy(r, b, bytes, 0, 0, host, second);
    omp_target_free(a, first);
    omp_target_free(b, second);
    return r[9] != 20;
}
