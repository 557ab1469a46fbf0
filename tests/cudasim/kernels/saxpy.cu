// An SPMD kernel as the translator writes it, and the same by hand.
#include "ompls_device.cuh"

extern "C" __global__ void saxpy(float a, const float *x, float *y, int n)
{
    ompls_spmd_begin();
    const ompls_range<int> team = ompls_get_distribute_chunk(n);
    const ompls_range<int> mine = ompls_get_static_chunk(team);
    for (int i = mine.begin; i < mine.end; i += mine.stride) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void saxpy_direct(float a, const float *x, float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
