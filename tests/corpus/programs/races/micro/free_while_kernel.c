#include <omp.h>
#include <stdio.h>
#define N 1000
int main(void)
{
    int dev = omp_get_default_device();
    double s = 0;
    double *d = omp_target_alloc(N * sizeof(double), dev);
    if (!d) return 1;
    #pragma omp target is_device_ptr(d)
    for (int i = 0; i < N; i++) d[i] = i;
    #pragma omp target is_device_ptr(d) map(tofrom: s) nowait
    for (int i = 0; i < N; i++) s += d[i];
    #pragma omp taskwait //@ good
    omp_target_free(d, dev); // expect: race
    #pragma omp taskwait //@ bad
    printf("%g\n", s);
    return 0;
}
