// Memory of the device: filled from the host, doubled, fetched.
#include <omp.h>
#include <stdlib.h>
int main(void)
{
    int n = 100, dev = omp_get_default_device(), host = omp_get_initial_device();
    int *h = malloc(n * sizeof *h);
    int *d = omp_target_alloc(n * sizeof *d, dev);
    for (int i = 0; i < n; i++) h[i] = i;
    if (!d) return 0;
    omp_target_memcpy(d, h, n * sizeof *h, 0, 0, dev, host); //@ good
    omp_target_memcpy(d, h, n, 0, 0, dev, host); //@ bad2 // expect: mapping [bad2]
#pragma omp target is_device_ptr(d)
    for (int i = 0; i < n; i++)
        d[i] *= 2; // expect: mapping [bad]
    for (int i = 0; i < n; i++) h[i] = -1;
    omp_target_memcpy(h, d, n * sizeof *h, 0, 0, host, dev);
    omp_target_free(d, dev);
    int s = 0;
    for (int i = 0; i < n; i++) s += h[i];
    free(h);
    return s != n * (n - 1);
}
