// omp_target_alloc, memcpy in, kernel, memcpy out, free; and a copy for the host as device.
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

static int run(int dev, int n)
{
    int host = omp_get_initial_device(), ok = 1;
    int *h = malloc(n * sizeof(int));
    int *d = omp_target_alloc(n * sizeof(int), dev);
    if (!h || !d) {
        free(h);
        omp_target_free(d, dev);
        return 0;
    }
    for (int i = 0; i < n; i++)
        h[i] = i;
    if (omp_target_memcpy(d, h, n * sizeof(int), 0, 0, dev, host) != 0)
        abort();
#pragma omp target teams distribute parallel for is_device_ptr(d) device(dev)
    for (int i = 0; i < n; i++)
        d[i] += 100;
    omp_target_memcpy(h, d, n * sizeof(int), 0, 0, host, dev);
    for (int i = 0; i < n; i++)
        ok &= h[i] == 100 + i;
    omp_target_free(d, dev);
    free(h);
    return ok;
}

int main(void)
{
    return !run(omp_get_default_device(), 50) || !run(omp_get_initial_device(), 50);
}
