#include <omp.h>
#include <stdio.h>
#define N 1000
int main(void)
{
    int dev = omp_get_default_device(), host = omp_get_initial_device();
    double out[N];
    double *d = omp_target_alloc(N * sizeof(double), dev);
    if (!d) return 1;
    #pragma omp target teams distribute parallel for is_device_ptr(d) nowait
    for (int i = 0; i < N; i++)
        d[i] = 2.0 * i;
    #pragma omp taskwait //@ good
    omp_target_memcpy(out, d, N * sizeof(double), 0, 0, host, dev); // expect: race
    #pragma omp taskwait //@ bad
    printf("%g\n", out[7]);
    omp_target_free(d, dev);
    return 0;
}
