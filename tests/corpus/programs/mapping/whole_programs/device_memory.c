// Device memory of its own: omp_target_alloc, memcpy, is_device_ptr.
#include <omp.h>
#include <stdlib.h>

int main(void)
{
    int n = 500, dev = omp_get_default_device(), host = omp_get_initial_device();
    double *h = malloc(n * sizeof *h);
    double *d = omp_target_alloc(n * sizeof *d, dev); //@ good bad bad3 bad4
    double *d = omp_target_alloc(n, dev); //@ bad2 // or-here [bad2]
    for (int i = 0; i < n; i++)
        h[i] = i;
    omp_target_memcpy(d, h, n * sizeof *d, 0, 0, dev, host); //@ good bad bad2 // expect: mapping [bad2]
    omp_target_memcpy(d, h, n * sizeof *d, 0, 0, host, dev); //@ bad3 // expect: mapping [bad3]
    omp_target_memcpy(d, h, n, 0, 0, dev, host); //@ bad4 // expect: mapping [bad4]
#pragma omp target teams distribute parallel for is_device_ptr(d) //@ good bad2 bad3 bad4 // or-here [bad4]
#pragma omp target teams distribute parallel for map(tofrom: d[0:n]) //@ bad // expect: mapping [bad]
    for (int i = 0; i < n; i++)
        d[i] = 2 * d[i] + 1;
    omp_target_memcpy(h, d, n * sizeof *d, 0, 0, host, dev);
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad |= h[i] != 2 * i + 1;
    omp_target_free(d, dev);
    free(h);
    return bad;
}
