#include <omp.h>
#include <stdio.h>
#define N 512
int main(void)
{
    int dev = omp_get_default_device();
    int out[N];
    int *d = omp_target_alloc(N * sizeof(int), dev);
    #pragma omp target teams distribute parallel for is_device_ptr(d) nowait depend(out: d[0:N]) //@ good
    #pragma omp target teams distribute parallel for is_device_ptr(d) nowait //@ bad
    for (int i = 0; i < N; i++) d[i] = i;
    #pragma omp target teams distribute parallel for is_device_ptr(d) map(from: out) nowait depend(in: d[0:N]) //@ good
    #pragma omp target teams distribute parallel for is_device_ptr(d) map(from: out) nowait //@ bad // or-here
    for (int i = 0; i < N; i++) out[i] = d[N - 1 - i]; // expect: race
    #pragma omp taskwait
    printf("%d\n", out[0]);
    omp_target_free(d, dev);
    return 0;
}
