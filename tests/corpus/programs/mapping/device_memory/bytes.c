// `omp_target_alloc` and `omp_target_memcpy` count bytes, and name the destination first.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int n = 100000, device = omp_get_default_device(), host = omp_get_initial_device();
    float *x = malloc(n * sizeof(float));
    float *d = omp_target_alloc(n * sizeof(float), device); //@ good bad2 bad3
    float *d = omp_target_alloc(n, device);                 //@ bad
    for (int i = 0; i < n; i++)
        x[i] = i;
    omp_target_memcpy(d, x, n * sizeof(float), 0, 0, device, host); //@ good bad3
    omp_target_memcpy(d, x, n * sizeof(float), 0, 0, device, host); //@ bad // expect: mapping
    omp_target_memcpy(d, x, n * sizeof(float), 0, 0, host, device); //@ bad2 // expect: mapping
#pragma omp target teams distribute parallel for is_device_ptr(d)
    for (int i = 0; i < n; i++)
        d[i] *= 2; // or-here [bad]
    omp_target_memcpy(x, d, n * sizeof(float), 0, 0, host, device); //@ good bad bad2
    omp_target_memcpy(x, d, n * sizeof(float) * 2, 0, 0, host, device); //@ bad3 // expect: mapping
    int wrong = x[n - 1] != 2.0f * (n - 1);
    omp_target_free(d, device);
    free(x);
    return wrong;
}
