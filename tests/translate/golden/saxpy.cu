// ompls_saxpy_8db148_saxpy_0: CUDA C++ generated from examples/saxpy.c
#include "ompls_device.cuh"

// examples/saxpy.c:14: target teams distribute parallel for
// `x` is only read: OMPLS_RESTRICT is __restrict__ where nothing that is written overlaps it.
extern "C" __global__ void ompls_saxpy_8db148_saxpy_0(const float *OMPLS_RESTRICT x, float *y, int n, float a, ompls_part ompls_part_x)
{
    ompls_spmd_begin();
    // One iteration a thread: the launch is as large as its part of the loop.
    for (const unsigned int ompls_at_i : ompls_iterations_x(ompls_part_x)) {
        int i = ompls_at_i;
        y[i] = a * x[i] + y[i];
    }
}
