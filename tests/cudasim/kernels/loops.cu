// Every distribution of a loop: who runs which iteration, and how often.
#include "ompls_device.cuh"

enum { PLAIN, CONTIGUOUS, DISTRIBUTE_CHUNK, STATIC_CHUNK, BOTH_CHUNKS, AT_ONCE };

static __device__ void visit(int *owner, int *times, int i)
{
    owner[i] = omp_get_team_num() * 1024 + omp_get_thread_num();
    ompls_atomic<ompls_add>(&times[i], 1);
}

static __device__ void run(int *owner, int *times, ompls_range<int> mine)
{
    for (int i = mine.begin; i < mine.end; i += mine.stride) visit(owner, times, i);
}

extern "C" __global__ void loop(int *owner, int *times, int count, int schedule, int chunk)
{
    ompls_spmd_begin();
    if (schedule == PLAIN) run(owner, times, ompls_get_static_chunk(ompls_get_distribute_chunk(count)));
    if (schedule == CONTIGUOUS) run(owner, times, ompls_get_static_chunk_contiguous(ompls_get_distribute_chunk(count)));
    if (schedule == DISTRIBUTE_CHUNK) {
        ompls_range<int> team = ompls_get_distribute_chunk(count, chunk);
        do run(owner, times, ompls_get_static_chunk(team));
        while (ompls_next_distribute_chunk(&team, count, chunk));
    }
    if (schedule == STATIC_CHUNK) {
        const ompls_range<int> team = ompls_get_distribute_chunk(count);
        ompls_range<int> mine = ompls_get_static_chunk(team, chunk);
        do run(owner, times, mine);
        while (ompls_next_static_chunk(&mine, team, chunk));
    }
    if (schedule == BOTH_CHUNKS) {
        ompls_range<int> team = ompls_get_distribute_chunk(count, 4 * chunk);
        do {
            ompls_range<int> mine = ompls_get_static_chunk(team, chunk);
            do run(owner, times, mine);
            while (ompls_next_static_chunk(&mine, team, chunk));
        } while (ompls_next_distribute_chunk(&team, count, 4 * chunk));
    }
    if (schedule == AT_ONCE)
        for (const unsigned i : ompls_iterations_x(unsigned(count))) visit(owner, times, i);
}

// How many iterations the last thread of all has, and its last one.
extern "C" __global__ void ends(long long *out, unsigned count)
{
    ompls_spmd_begin();
    if (omp_get_team_num() != omp_get_num_teams() - 1 || omp_get_thread_num() != omp_get_num_threads() - 1) return;
    for (const unsigned at : ompls_iterations_x(count)) {
        out[0]++;
        out[1] = at;
    }
}

// The first and last thread's ranges of the last team, for counts that a 32-bit product would overflow.
extern "C" __global__ void far(long long *out, int count, long long big)
{
    ompls_spmd_begin();
    if (omp_get_team_num() != omp_get_num_teams() - 1) return;
    const ompls_range<int> team = ompls_get_distribute_chunk(count);
    const ompls_range<long long> large = ompls_get_distribute_chunk(big);
    const ompls_range<int> mine = ompls_get_static_chunk_contiguous(team);
    const int me = omp_get_thread_num();
    if (me == 0) {
        out[0] = team.begin;
        out[1] = team.end;
        out[2] = large.begin;
        out[3] = large.end;
        out[4] = mine.begin;
    }
    if (me == omp_get_num_threads() - 1) out[5] = mine.end;
}

// The ids of an SPMD region.
extern "C" __global__ void ids(int *out)
{
    ompls_spmd_begin();
    int *mine = out + 8 * (omp_get_team_num() * omp_get_num_threads() + omp_get_thread_num());
    mine[0] = omp_get_thread_num();
    mine[1] = omp_get_num_threads();
    mine[2] = omp_get_team_num();
    mine[3] = omp_get_num_teams();
    mine[4] = omp_get_level();
    mine[5] = omp_in_parallel();
    mine[6] = omp_is_initial_device();
    mine[7] = omp_get_max_threads();
}
