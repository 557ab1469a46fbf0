// ompls_jacobi_cc85ca_solve_on_device_0: CUDA C++ generated from examples/jacobi.c
#define OMPLS_GRID  // of 2 dimensions, as the blocks of it
#include "ompls_device.cuh"

#define COLS 130
#define AT(i, j) ((i) * COLS + (j))

// examples/jacobi.c:40: target teams distribute parallel for
// `now` is only read: OMPLS_RESTRICT is __restrict__ where nothing that is written overlaps it.
extern "C" __global__ void ompls_jacobi_cc85ca_solve_on_device_0(double *ompls_p_change, double *OMPLS_RESTRICT now, double *next)
{
    ompls_spmd_begin();
    double change = ompls_identity<ompls_max, double>();  // reduction(max: change): this thread's part
    // Two dimensions of grid and block: `j` along x, `i` along y.
    // Neighbouring threads take neighbouring iterations of the innermost loop, and nothing is divided.
    const unsigned int ompls_count_i = 64;
    const unsigned int ompls_count_j = 128;
    for (const unsigned int ompls_at_i : ompls_iterations_y(ompls_count_i)) {
        int i = 1 + (int)ompls_at_i;
        for (const unsigned int ompls_at_j : ompls_iterations_x(ompls_count_j)) {
            int j = 1 + (int)ompls_at_j;
            double mean = 0.25 * (now[AT(i - 1, j)] + now[AT(i + 1, j)] + now[AT(i, j - 1)] + now[AT(i, j + 1)]);
            next[AT(i, j)] = mean;
            change = fmax(change, fabs(mean - now[AT(i, j)]));
        }
    }
    ompls_reduce<ompls_max>(ompls_p_change, change);  // joined in the team, then once a team
}
