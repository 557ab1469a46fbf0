// ompls_jacobi_cc85ca_solve_on_device_0: CUDA C++ generated from examples/jacobi.c
#define OMPLS_GRID  // of 2 dimensions, as the blocks of it
#include "ompls_device.cuh"

// examples/jacobi.c:40: target teams distribute parallel for
extern "C" __global__ void ompls_jacobi_cc85ca_solve_on_device_0(double *ompls_p_change, double *now, double *next)
{
    ompls_spmd_begin();
    double change = ompls_identity<ompls_max, double>();  // reduction(max: change): this thread's part
    // Two dimensions of grid and block: `j` along x, `i` along y.
    // Neighbouring threads take neighbouring iterations of the innermost loop, and nothing is divided.
    const unsigned int ompls_count_i = 64;
    const ompls_range<unsigned int> ompls_y = ompls_along_y(ompls_count_i);
    const unsigned int ompls_count_j = 128;
    const ompls_range<unsigned int> ompls_x = ompls_along_x(ompls_count_j);
    for (unsigned int ompls_at_i = ompls_y.begin; ompls_at_i < ompls_y.end; ompls_at_i += ompls_y.stride) {
        int i = 1 + (int)ompls_at_i;
        for (unsigned int ompls_at_j = ompls_x.begin; ompls_at_j < ompls_x.end; ompls_at_j += ompls_x.stride) {
            int j = 1 + (int)ompls_at_j;
            double mean = 0.25 * (now[((i - 1) * 130 + (j))] + now[((i + 1) * 130 + (j))] + now[((i) * 130 + (j - 1))] + now[((i) * 130 + (j + 1))]);
            next[((i) * 130 + (j))] = mean;
            change = fmax(change, fabs(mean - now[((i) * 130 + (j))]));
        }
    }
    ompls_reduce<ompls_max>(ompls_p_change, change);  // joined in the team, then one atomic a team
}
