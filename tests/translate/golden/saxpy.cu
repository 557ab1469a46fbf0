// ompls_saxpy_8db148_saxpy_0: CUDA C++ generated from examples/saxpy.c
#include "ompls_device.cuh"

// examples/saxpy.c:14: target teams distribute parallel for
extern "C" __global__ void ompls_saxpy_8db148_saxpy_0(const float *x, float *y, int n, float a)
{
    ompls_spmd_begin();
    const unsigned int ompls_count = 0 < n ? (unsigned int)n : 0;
    // Two-phase distribution: this team's chunk of the iterations, then this thread's part of it.
    const ompls_range<unsigned int> ompls_team = ompls_get_distribute_chunk(ompls_count);
    const ompls_range<unsigned int> ompls_mine = ompls_get_static_chunk(ompls_team);
    for (unsigned int ompls_it = ompls_mine.begin; ompls_it < ompls_mine.end; ompls_it += ompls_mine.stride) {
        int i = ompls_it;
        y[i] = a * x[i] + y[i];
    }
}
