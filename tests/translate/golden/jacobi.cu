// ompls_jacobi_cc85ca_solve_on_device_0: CUDA C++ generated from examples/jacobi.c
#include "ompls_device.cuh"

// examples/jacobi.c:40: target teams distribute parallel for
extern "C" __global__ void ompls_jacobi_cc85ca_solve_on_device_0(double *ompls_p_change, double *now, double *next)
{
    ompls_spmd_begin();
    double change = ompls_identity<ompls_max, double>();  // reduction(max: change): this thread's part
    const unsigned int ompls_count_i = 64;
    const unsigned int ompls_count_j = 128;
    const unsigned int ompls_count = ompls_count_i * ompls_count_j;  // collapse(2)
    // Two-phase distribution: this team's chunk of the iterations, then this thread's part of it.
    const ompls_range<unsigned int> ompls_team = ompls_get_distribute_chunk(ompls_count);
    const ompls_range<unsigned int> ompls_mine = ompls_get_static_chunk(ompls_team);
    for (unsigned int ompls_it = ompls_mine.begin; ompls_it < ompls_mine.end;) {
        const unsigned int ompls_row = ompls_quotient(ompls_it, ompls_count_j), ompls_start = ompls_row * ompls_count_j;
        const unsigned int ompls_stop = ompls_least(ompls_start + ompls_count_j, ompls_mine.end);
        int i = 1 + (int)ompls_row;
        for (; ompls_it < ompls_stop; ompls_it += ompls_mine.stride) {
            int j = 1 + (int)(ompls_it - ompls_start);
            double mean = 0.25 * (now[((i - 1) * 130 + (j))] + now[((i + 1) * 130 + (j))] + now[((i) * 130 + (j - 1))] + now[((i) * 130 + (j + 1))]);
            next[((i) * 130 + (j))] = mean;
            change = fmax(change, fabs(mean - now[((i) * 130 + (j))]));
        }
    }
    ompls_reduce<ompls_max>(ompls_p_change, change);  // joined in the team, then one atomic a team
}
