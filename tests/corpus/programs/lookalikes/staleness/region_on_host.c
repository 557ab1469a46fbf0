// if(0) and device(omp_get_initial_device()): the region works on the host's copy.
#include <stdio.h>
#include <omp.h>
#define N 10

int main(void)
{
    int v[N] = { 0 }, w[N] = { 0 }, host = omp_get_initial_device();
#pragma omp target map(to: v) if(0)
    for (int i = 0; i < N; i++)
        v[i] = i;
#pragma omp target map(tofrom: w) device(host)
    for (int i = 0; i < N; i++)
        w[i] = v[i] + 1;
    return w[9] != 10;
}
