// Reductions over the threads of a team: shuffles in a warp, shared memory between warps, one atomic a team.
#pragma once

// One partial result per warp; a block has at most 32.
static __shared__ unsigned long long ompls_partial[32];

template <typename T> static __device__ inline T ompls_shuffle_down(unsigned mask, T value, int distance)
{
    typedef typename ompls_word<sizeof(T) == 8>::type Word;
    return ompls_from_bits<T, Word>(__shfl_down_sync(mask, ompls_to_bits<T, Word>(value), distance));
}

// The result of the first `lanes` lanes, in lane 0.  All of them call it, and no other: before sm_70 they have to be
// converged (PTX ISA, "shfl.sync"), as they are behind any loop or branch of theirs.
template <class Op, typename T> static __device__ T ompls_reduce_warp(T value, int lane, int lanes)
{
    const unsigned mask = lanes >= OMPLS_WARP ? 0xffffffffu : (1u << lanes) - 1;
    for (int distance = OMPLS_WARP / 2; distance > 0; distance /= 2) {
        const T other = ompls_shuffle_down(mask, value, distance);
        if (lane < distance && lane + distance < lanes) value = Op::apply(value, other);
    }
    return value;
}

// One thread's value into the target: by compare-and-swap where a T fits into a word, else under a lock, in whose body
// nothing waits.
static __device__ int ompls_join_lock;
template <class Op, typename T, bool fits> struct ompls_joining {
    static __device__ void run(T *target, T value) { ompls_atomic<Op, T>(target, value); }
};
template <class Op, typename T> struct ompls_joining<Op, T, false> {
    static __device__ void run(T *target, T value)
    {
        ompls_critical(&ompls_join_lock, [&] { *target = Op::apply(*target, value); });
    }
};
template <class Op, typename T> static __device__ void ompls_join(T *target, T value)
{
    const bool fits = (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8) && alignof(T) == sizeof(T);
    ompls_joining<Op, T, fits>::run(target, value);
}

// The values of the team's threads, in thread 0.  Values of up to 8 bytes go through the shuffles of a warp; larger ones
// go from one warp's leader to the next through one place in shared memory, after the warp's lanes did the same.
template <class Op, typename T, bool small> struct ompls_in_team {
    static __device__ T run(T value, int me, int threads)
    {
        const int warp = me / OMPLS_WARP, lane = me % OMPLS_WARP, rest = threads - warp * OMPLS_WARP;
        value = ompls_reduce_warp<Op, T>(value, lane, rest);
        if (lane == 0) ompls_partial[warp] = ompls_to_bits<T, unsigned long long>(value);
        ompls_barrier();
        for (int other = 1; me == 0 && other * OMPLS_WARP < threads; ++other)
            value = Op::apply(value, ompls_from_bits<T, unsigned long long>(ompls_partial[other]));
        return value;
    }
};
template <class Op, typename T> struct ompls_in_team<Op, T, false> {
    static __device__ T run(T value, int me, int threads)
    {
        static __shared__ unsigned long long place[(sizeof(T) + 7) / 8];
        for (int other = 1; other < threads; ++other) {
            if (me == other) memcpy(place, &value, sizeof value);
            ompls_barrier();
            if (me == 0) {
                T theirs;
                memcpy(&theirs, place, sizeof theirs);
                value = Op::apply(value, theirs);
            }
            ompls_barrier();
        }
        return value;
    }
};

template <class Op, typename T> static __device__ void ompls_reduce(T *target, T value)
{
    const int me = omp_get_thread_num(), threads = omp_get_num_threads();
    if (threads > 1) value = ompls_in_team<Op, T, sizeof(T) <= 8>::run(value, me, threads);
    if (me == 0) ompls_join<Op, T>(target, value); // several teams may share the target
    if (threads > 1) ompls_barrier(); // the result is there for all, and the partial results may be overwritten
}

template <class Op, typename T> static __device__ void ompls_reduce_array(T *target, const T *mine, long count)
{
    for (long i = 0; i < count; ++i) ompls_reduce<Op, T>(target + i, mine[i]);
}
template <class Op, typename T> static __device__ void ompls_join_array(T *target, const T *mine, long count)
{
    for (long i = 0; i < count; ++i) ompls_join<Op, T>(target + i, mine[i]);
}

// `part` as a pointer to who knows what.  A compiler may take it that a pointer with an offset does not reach a variable
// that is smaller than the offset; of what it does not know to be a variable it cannot.
template <typename T> static __device__ T *ompls_hidden(T *part)
{
    asm("" : "+l"(part));
    return part;
}
// Where element 0 would be when `part` is element `offset`: of a section, only elements from there on are used.  The
// address is computed as a number, because a pointer must not leave its array.
template <typename T> static __device__ T *ompls_before(T *part, long offset)
{
    return reinterpret_cast<T *>(reinterpret_cast<unsigned long>(part) - offset * sizeof(T));
}
