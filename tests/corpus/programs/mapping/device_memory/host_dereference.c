// The host writes through a device pointer.
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

int main(void)
{
    int dev = omp_get_default_device(), host = omp_get_initial_device(), n = 16;
    int *h = malloc(n * sizeof(int)), *d = omp_target_alloc(n * sizeof(int), dev);
    for (int i = 0; i < n; i++)
        h[i] = i;
    for (int i = 0; i < n; i++) //@ bad
        d[i] = h[i]; //@ bad // expect: mapping
    omp_target_memcpy(d, h, n * sizeof(int), 0, 0, dev, host); //@ good
#pragma omp target is_device_ptr(d) device(dev)
    for (int i = 0; i < n; i++)
        d[i] *= 3;
    omp_target_memcpy(h, d, n * sizeof(int), 0, 0, host, dev);
    int wrong = h[15] != 45;
    omp_target_free(d, dev);
    free(h);
    return wrong;
}
