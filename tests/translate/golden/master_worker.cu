// ompls_master_worker_508f31_main_0: CUDA C++ generated from examples/master_worker.c
#define OMPLS_GENERIC  // sequential code with parallel regions: one master, 96 workers a team
#include "ompls_device.cuh"

#define ROUNDS 3

// examples/master_worker.c:20: target
extern "C" __global__ void ompls_master_worker_508f31_main_0(long (*ompls_p_values)[1024], long (*ompls_p_sums)[3])
{
    if (!ompls_target_begin())
        return;  // a worker: it served the parallel regions
    long (&values)[1024] = *ompls_p_values;
    long (&sums)[3] = *ompls_p_sums;
    long scale = 1;
    for (int round = 0; round < ROUNDS; round++) {
        __shared__ long partial[4];  // not on the master's stack: this team's threads reach it
        {
            const long ompls_init[4] = {0, 0, 0, 0};
            memcpy(&partial, &ompls_init, sizeof partial);
        }

        __shared__ long total;  // not on the master's stack: this team's threads reach it
        total = 0;

        scale = 2 * scale + round; /* sequential: one thread only */

        ompls_parallel_region([&values, scale] {  // the workers run this
            const unsigned int ompls_count = 1024;
            const ompls_range<unsigned int> ompls_team = {0, ompls_count, 1};
            const ompls_range<unsigned int> ompls_mine = ompls_get_static_chunk(ompls_team);
            for (unsigned int ompls_it = ompls_mine.begin; ompls_it < ompls_mine.end; ompls_it += ompls_mine.stride) {
                int i = ompls_it;
                values[i] = values[i] % 1000 + scale;
            }
        }, 40);

        ompls_parallel_region([&values] {  // the workers run this
            long &ompls_sum_total = total;
            {
                long total = ompls_identity<ompls_add, long>();  // reduction(+: total): this thread's part
                const unsigned int ompls_count = 1024;
                const ompls_range<unsigned int> ompls_team = {0, ompls_count, 1};
                const ompls_range<unsigned int> ompls_mine = ompls_get_static_chunk(ompls_team);
                for (unsigned int ompls_it = ompls_mine.begin; ompls_it < ompls_mine.end; ompls_it += ompls_mine.stride) {
                    int i = ompls_it;

                    total += values[i];
                    ompls_atomic<ompls_add>(&partial[i % 4], values[i]);
                }
                ompls_reduce<ompls_add>(&ompls_sum_total, total);  // joined in the team, then once a team
            }
        }, ompls_threads_for(1024));

        /* Sequential again. The four partial sums are a second way to the same total. */
        sums[round] = total == partial[0] + partial[1] + partial[2] + partial[3] ? total : -1;
    }

    ompls_target_end();
}
