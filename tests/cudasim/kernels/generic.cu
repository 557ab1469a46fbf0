// Master/worker kernels: several parallel regions, barriers and reductions inside, nesting, the shared-memory stack.
#define OMPLS_GENERIC
#include "ompls_device.cuh"

struct counts_vars { int *out; int base; };

// Every thread writes its id; after a barrier, thread i adds what thread i+1 wrote before it.
static __device__ void counts_region(void *p)
{
    counts_vars *v = static_cast<counts_vars *>(p);
    const int me = omp_get_thread_num(), threads = omp_get_num_threads();
    v->out[me] = me + 1;
    for (int round = 0; round < 3; ++round) {
        ompls_barrier();
        const int next = v->out[(me + 1) % threads];
        ompls_barrier();
        v->out[me] += next;
    }
    v->base += me == 0 ? 1 : 0;
}

extern "C" __global__ void counts(int *out, int threads, int regions)
{
    if (!ompls_target_begin()) return;
    counts_vars vars = {out, 0};
    for (int r = 0; r < regions; ++r) {
        counts_vars *shared = static_cast<counts_vars *>(ompls_push_shmem(&vars, sizeof vars));
        ompls_parallel(counts_region, shared, threads);
        ompls_pop_shmem(&vars, sizeof vars);
    }
    out[96] = vars.base;
    out[97] = omp_get_thread_num() * 100 + omp_get_num_threads() * 10 + omp_get_level();
    ompls_target_end();
}

struct sum_vars { long long *total; int n; };

static __device__ void sum_region(void *p)
{
    sum_vars *v = static_cast<sum_vars *>(p);
    const ompls_range<int> mine = ompls_get_static_chunk(ompls_range<int>{0, v->n, 1});
    long long value = 0;
    for (int i = mine.begin; i < mine.end; i += mine.stride) value += i;
    ompls_reduce<ompls_add>(v->total, value);
}

// out[0] += sum of 0..n-1 by a reduction in a parallel region of `threads`.
extern "C" __global__ void generic_sum(long long *out, int n, int threads)
{
    if (!ompls_target_begin()) return;
    sum_vars vars = {out, n};
    ompls_parallel(sum_region, ompls_push_shmem(&vars, sizeof vars), threads);
    ompls_pop_shmem(&vars, sizeof vars);
    ompls_target_end();
}

static __device__ void inner_region(void *p)
{
    int *slot = static_cast<int *>(p);
    ompls_barrier(); // of a team of one
    *slot = *slot * 1000 + omp_get_thread_num() * 100 + omp_get_num_threads() * 10 + omp_get_level();
}

static __device__ void outer_region(void *p)
{
    int *out = static_cast<int *>(p);
    const int me = omp_get_thread_num();
    out[me] = me;
    ompls_parallel(inner_region, &out[me], 7);
    ompls_barrier();
}

extern "C" __global__ void nested(int *out, int threads)
{
    if (!ompls_target_begin()) return;
    ompls_parallel(outer_region, out, threads);
    ompls_target_end();
}

// Pushes more than the shared-memory stack holds, nested, and writes back what came through.
extern "C" __global__ void stack(int *out, int count)
{
    if (!ompls_target_begin()) return;
    int values[1500];
    for (int i = 0; i < 1500; ++i) values[i] = i;
    int *first = static_cast<int *>(ompls_push_shmem(values, sizeof values));
    int *second = static_cast<int *>(ompls_push_shmem(values, sizeof values)); // goes to the heap
    int *third = static_cast<int *>(ompls_push_shmem(values, 100 * sizeof(int)));
    for (int i = 0; i < 100; ++i) third[i] += 5;
    for (int i = 0; i < 1500; ++i) second[i] += first[i];
    int small[100];
    ompls_pop_shmem(small, sizeof small);
    ompls_pop_shmem(values, sizeof values);
    ompls_pop_shmem(nullptr, sizeof values);
    for (int i = 0; i < count; ++i) out[i] = values[i] + small[i % 100];
    ompls_target_end();
}
