// Reductions over the threads of a team: shuffles in a warp, shared memory between warps, one atomic a team.
#pragma once

// One partial result per warp; a block has at most 32.
static __shared__ unsigned long long ompls_partial[32];

template <typename T> static __device__ inline T ompls_shuffle_down(unsigned mask, T value, int distance)
{
    typedef typename ompls_word<sizeof(T) == 8>::type Word;
    return ompls_from_bits<T, Word>(__shfl_down_sync(mask, ompls_to_bits<T, Word>(value), distance));
}

// The result of the first `lanes` lanes, in lane 0.  All of them call it, and no other.
template <class Op, typename T> static __device__ T ompls_reduce_warp(T value, int lane, int lanes)
{
    const unsigned mask = lanes >= OMPLS_WARP ? 0xffffffffu : (1u << lanes) - 1;
    for (int distance = OMPLS_WARP / 2; distance > 0; distance /= 2) {
        const T other = ompls_shuffle_down(mask, value, distance);
        if (lane < distance && lane + distance < lanes) value = Op::template apply<T>(value, other);
    }
    return value;
}

template <class Op, typename T> static __device__ void ompls_reduce(T *target, T value)
{
    static_assert(sizeof(T) <= 8, "a reduction is over scalars of up to 8 bytes");
    const int me = omp_get_thread_num(), threads = omp_get_num_threads();
    if (threads == 1) { // several teams of one may share the target
        ompls_atomic<Op, T>(target, value);
        return;
    }
    const int warp = me / OMPLS_WARP, lane = me % OMPLS_WARP, rest = threads - warp * OMPLS_WARP;
    value = ompls_reduce_warp<Op, T>(value, lane, rest);
    if (lane == 0) ompls_partial[warp] = ompls_to_bits<T, unsigned long long>(value);
    ompls_barrier();
    if (me == 0) {
        for (int other = 1; other * OMPLS_WARP < threads; ++other)
            value = Op::template apply<T>(value, ompls_from_bits<T, unsigned long long>(ompls_partial[other]));
        ompls_atomic<Op, T>(target, value);
    }
    ompls_barrier(); // the result is there for all, and the partial results may be overwritten
}
