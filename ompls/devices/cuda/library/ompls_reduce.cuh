// Reductions over the threads of a team: shuffles in a warp, shared memory between warps, one atomic a team.
#pragma once

// Before a loop of a few turns, which unrolled would be half of a small kernel.
#ifdef OMPLS_CUDASIM
#define OMPLS_ROLLED
#else
#define OMPLS_ROLLED _Pragma("unroll 1")
#endif

// How many parts of a result there are, and the bytes of a value that has parts.
#ifdef OMPLS_SIM_FAST
enum { OMPLS_PARTS = 1024, OMPLS_LARGEST_PART = 8 }; // a thread has one
#else
enum { OMPLS_PARTS = 32, OMPLS_LARGEST_PART = 64 }; // a warp has one; a block has at most 32 warps
#endif

template <typename T> static __device__ inline T ompls_shuffle_down(unsigned mask, T value, int distance)
{
    unsigned words[(sizeof(T) + 3) / 4] = {};
    memcpy(words, &value, sizeof value);
    for (unsigned &word : words) word = __shfl_down_sync(mask, word, distance);
    memcpy(&value, words, sizeof value);
    return value;
}

// The result of the first `lanes` lanes, in lane 0.  All of them call it, and no other: before sm_70 they have to be
// converged (PTX ISA, "shfl.sync"), as they are behind any loop or branch of theirs.  Where the team is the whole block, the
// mask is the whole warp: lanes that the block's last warp lacks count as exited.  A compiler that does not know the mask
// makes a second copy of the shuffles, for warps that are not converged.  The simulator demands that all named lanes exist.
#ifdef OMPLS_CUDASIM
static const bool ompls_names_lanes = true;
#else
static const bool ompls_names_lanes = OMPLS_IS_GENERIC;
#endif
// `whole`: each warp has all lanes, which asks for no comparison; the same in all threads, so that nobody parts.
template <class Op, typename T> static __device__ T ompls_reduce_warp(T value, int lane, int lanes, bool whole)
{
    if (whole) {
        for (int distance = OMPLS_WARP / 2; distance > 0; distance /= 2)
            value = Op::apply(value, ompls_shuffle_down(0xffffffffu, value, distance));
        return value;
    }
    const unsigned mask = !ompls_names_lanes || lanes >= OMPLS_WARP ? 0xffffffffu : (1u << lanes) - 1;
    OMPLS_ROLLED for (int distance = OMPLS_WARP / 2; distance > 0; distance /= 2) {
        const T other = ompls_shuffle_down(mask, value, distance);
        if (lane + distance < lanes) value = Op::apply(value, other);
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

// All threads of the team contribute, meet at a barrier, and then anyone may ask for what has been joined: the warps'
// parts, in order.  Each reduction has a site of its own in shared memory; nobody contributes to it again before all have
// what they came for.  A part is words: nothing in shared memory has a constructor, as some T have.
template <int words> struct ompls_stored {
    unsigned long long word[words];
    template <typename T> __device__ void put(T value) { memcpy(word, &value, sizeof value); }
    template <typename T> __device__ T get() const
    {
        T value;
        memcpy(&value, word, sizeof value);
        return value;
    }
};
template <typename T> using ompls_stored_of = ompls_stored<(sizeof(T) + 7) / 8>;
template <int site, class Stored> static __device__ inline Stored *ompls_parts()
{
    static __shared__ Stored parts[OMPLS_PARTS];
    return parts;
}
template <class Op, typename T> static __device__ T ompls_in_order(const ompls_stored_of<T> *parts, int count)
{
    T value = parts[0].template get<T>();
    OMPLS_ROLLED for (int other = 1; other < count; ++other) value = Op::apply(value, parts[other].template get<T>());
    return value;
}
#ifdef OMPLS_SIM_FAST
// A shuffle is a wait of every lane there.  So the threads' values are the parts, and the last to come joins them.
template <class Op, int site, typename T> static __device__ void ompls_contribute(T value)
{
    static __shared__ int arrived;
    ompls_stored_of<T> *const parts = ompls_parts<site, ompls_stored_of<T>>();
    parts[omp_get_thread_num()].put(value);
    if (++arrived < omp_get_num_threads()) return;
    parts[0].put(ompls_in_order<Op, T>(parts, arrived));
    arrived = 0;
}
template <class Op, int site, typename T> static __device__ T ompls_joined() { return ompls_parts<site, ompls_stored_of<T>>()->template get<T>(); }
#else
template <class Op, int site, typename T> static __device__ void ompls_contribute(T value)
{
    const unsigned me = omp_get_thread_num(), threads = omp_get_num_threads(), warp = me / OMPLS_WARP, lane = me % OMPLS_WARP;
    value = ompls_reduce_warp<Op, T>(value, lane, threads - warp * OMPLS_WARP, threads % OMPLS_WARP == 0);
    if (lane == 0) ompls_parts<site, ompls_stored_of<T>>()[warp].put(value);
}
template <class Op, int site, typename T> static __device__ T ompls_joined()
{
    return ompls_in_order<Op, T>(ompls_parts<site, ompls_stored_of<T>>(), ompls_whole_warps(omp_get_num_threads()) / OMPLS_WARP);
}
#endif
template <class Op, int site, typename T> static __device__ T ompls_total(T original)
{
    return Op::apply(original, ompls_joined<Op, site, T>());
}

// Whether a value goes through the shuffles of a warp.  What chooses by it is a function of the file, and no member of a
// class: on cudasim files are linked, and those of the two modes must not share a function with a barrier in it.
template <bool small> struct ompls_small {};

// The values of the team's threads, in thread 0.  Larger ones go from thread to thread through one place in shared memory.
template <class Op, typename T> static __device__ T ompls_in_team(ompls_small<true>, T value, int me, int)
{
    ompls_contribute<Op, -1>(value);
    ompls_barrier();
    return me == 0 ? ompls_joined<Op, -1, T>() : value;
}
template <class Op, typename T> static __device__ T ompls_in_team(ompls_small<false>, T value, int me, int threads)
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

template <class Op, typename T> static __device__ void ompls_reduce(T *target, T value)
{
    const int me = omp_get_thread_num(), threads = omp_get_num_threads();
    if (threads > 1) value = ompls_in_team<Op>(ompls_small<sizeof(T) <= OMPLS_LARGEST_PART>(), value, me, threads);
    if (me == 0) ompls_join<Op, T>(target, value); // several teams may share the target
    if (threads > 1) ompls_barrier(); // the result is there for all, and the partial results may be overwritten
}

// What is above the partials: how many teams have left theirs.
enum { OMPLS_PARTIALS_HEAD = 16 };

// Word by word: of memory that a pointer leads to a compiler does not know that memcpy would find whole words there.
template <class Stored> static __device__ inline void ompls_copy_words(Stored &to, const Stored &from)
{
    for (unsigned word = 0; word < sizeof from.word / sizeof *from.word; ++word) to.word[word] = from.word[word];
}
template <typename T> static __device__ inline T ompls_partial(const ompls_stored_of<T> &part)
{
    ompls_stored_of<T> copy;
    ompls_copy_words(copy, part);
    return copy.template get<T>();
}

// The teams' values, in thread 0 of the last team: its first warp's lanes begin with every 32nd each.
template <class Op, typename T> static __device__ T ompls_teams_joined(const ompls_stored_of<T> *parts, int teams)
{
#ifdef OMPLS_SIM_FAST
    const int lane = 0, lanes = 1; // a shuffle is a wait of every lane there
#else
    const int lane = omp_get_thread_num(), threads = omp_get_num_threads() < OMPLS_WARP ? omp_get_num_threads() : OMPLS_WARP;
    const int lanes = teams < threads ? teams : threads;
    if (ompls_names_lanes && lane >= lanes) return {};
#endif
    int team = lane < lanes ? lane : 0;
    T value = ompls_partial<T>(parts[team]);
    while ((team += lanes) < teams) value = Op::apply(value, ompls_partial<T>(parts[team]));
#ifdef OMPLS_SIM_FAST
    return value;
#else
    return ompls_reduce_warp<Op, T>(value, lane, lanes, lanes == OMPLS_WARP);
#endif
}
template <class Op, typename T> static __device__ void ompls_reduce_teams(T *target, T value, void *partials)
{
    static __shared__ bool last;
    const int me = omp_get_thread_num(), threads = omp_get_num_threads(), teams = omp_get_num_teams();
    auto *const parts = reinterpret_cast<ompls_stored_of<T> *>(static_cast<char *>(partials) + OMPLS_PARTIALS_HEAD);
    if (threads > 1) value = ompls_in_team<Op>(ompls_small<sizeof(T) <= OMPLS_LARGEST_PART>(), value, me, threads);
    if (me == 0) {
        ompls_stored_of<T> mine;
        mine.put(value);
        ompls_copy_words(parts[omp_get_team_num()], mine);
        __threadfence(); // it is there before it is counted
        last = atomicInc(static_cast<unsigned *>(partials), teams - 1) == unsigned(teams - 1); // and counts from 0 again
        __threadfence(); // and all others are there
    }
    ompls_barrier();
    if (!last || me >= OMPLS_WARP) return;
    value = ompls_teams_joined<Op, T>(parts, teams);
    if (me == 0) *target = Op::apply(*target, value);
}

// Arrays: every warp joins its lanes' parts of as many elements as there is room for; then one thread for each element
// joins the warps' parts, in the same order as for a variable, and adds them to the target.
template <class Op, typename T>
static __device__ void ompls_arrays_in_team(ompls_small<true>, T *target, const T *mine, long count, int me, int threads)
{
    enum { MOST = 64 / sizeof(ompls_stored_of<T>), ROOM = MOST * 32 };
    static __shared__ ompls_stored_of<T> parts[ROOM];
    const int warp = me / OMPLS_WARP, lane = me % OMPLS_WARP, rest = threads - warp * OMPLS_WARP;
    const int warps = ompls_whole_warps(threads) / OMPLS_WARP;
    for (long first = 0; first < count; first += MOST) {
        const int elements = count - first < MOST ? int(count - first) : MOST;
        for (int i = 0; i < elements; ++i) {
            const T value = ompls_reduce_warp<Op, T>(mine[first + i], lane, rest, threads % OMPLS_WARP == 0);
            if (lane == 0) parts[i * warps + warp].put(value);
        }
        ompls_barrier();
        for (int i = me; i < elements; i += threads)
            ompls_join<Op, T>(target + first + i, ompls_in_order<Op, T>(parts + i * warps, warps));
        ompls_barrier(); // as in ompls_reduce
    }
}
template <class Op, typename T>
static __device__ void ompls_arrays_in_team(ompls_small<false>, T *target, const T *mine, long count, int, int)
{
    for (long i = 0; i < count; ++i) ompls_reduce<Op, T>(target + i, mine[i]);
}
template <class Op, typename T> static __device__ void ompls_reduce_array(T *target, const T *mine, long count)
{
    const int me = omp_get_thread_num(), threads = omp_get_num_threads();
    if (threads > 1) ompls_arrays_in_team<Op>(ompls_small<sizeof(T) <= OMPLS_LARGEST_PART>(), target, mine, count, me, threads);
    else ompls_join_array<Op, T>(target, mine, count);
}

// Arrays that the whole team adds up in shared memory, element by element: where the order of the values is all the same.
template <class Op, typename T> static __device__ void ompls_gather_begin(T *part, int count)
{
    OMPLS_ROLLED for (int i = omp_get_thread_num(); i < count; i += omp_get_num_threads()) part[i] = ompls_identity<Op, T>();
    ompls_barrier();
}
template <class Op, typename T> static __device__ inline void ompls_gather(T *element, ompls_converted<T> value)
{
#ifdef OMPLS_SIM_FAST
    *element = Op::apply(*element, value); // threads of a block never run at once there
#else
    ompls_atomic<Op, T>(element, value);
#endif
}
template <class Op, typename T> static __device__ void ompls_gather_end(T *target, const T *part, int count)
{
    ompls_barrier();
    OMPLS_ROLLED for (int i = omp_get_thread_num(); i < count; i += omp_get_num_threads())
        ompls_join<Op, T>(target + i, part[i]);
    ompls_barrier(); // the result is there for all, and the part may be used again
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
