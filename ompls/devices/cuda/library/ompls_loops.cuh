// Two-phase distribution of a loop: the league's teams take chunks, a team's threads take iterations of their chunk.
//
// No expression here exceeds `count` but `begin + stride` of the last iteration, which the caller's loop computes: beyond
// 2^31 iterations of 32 bits it asks for ompls_next().
#pragma once

// A thread that takes chunk after chunk runs on its own on a GPU; the simulator runs one thread until it has to wait.
static __device__ inline void ompls_let_others_run()
{
#ifdef OMPLS_CUDASIM
    ompls_sim_yield();
#endif
}

// a / b for numbers that are not negative.  Dividing 64-bit numbers takes several times as long, also on a GPU.
template <typename T> static __device__ inline T ompls_quotient(T a, T b)
{
    const T small = 0x7fffffff;
    return a <= small && b <= small ? T(static_cast<unsigned>(a) / static_cast<unsigned>(b)) : a / b;
}

// The contiguous share of member `index` of `members` in `range`; the first `rest` members take one more.
template <typename T> static __device__ inline ompls_range<T> ompls_share(T begin, T end, T index, T members)
{
    const T count = end > begin ? end - begin : 0;
    const T each = ompls_quotient(count, members), rest = count - each * members;
    const T first = begin + index * each + (index < rest ? index : rest);
    return {first, first + each + (index < rest ? 1 : 0), 1};
}

// The first `chunk` iterations after `skipped` chunks; empty when there are none left.
template <typename T> static __device__ inline ompls_range<T> ompls_chunk(T begin, T end, T skipped, T chunk)
{
    if (end <= begin || skipped > ompls_quotient<T>(end - begin - 1, chunk)) return {end, end, 1};
    const T first = begin + skipped * chunk;
    return {first, end - first > chunk ? first + chunk : end, 1};
}

// The chunk that is `more` chunks after the one that begins `at` iterations after `begin`.
template <typename T> static __device__ inline ompls_range<T> ompls_chunk_after(T begin, T end, T at, T more, T chunk)
{
    const T before = at / chunk;
    if (T(before + more) < before) return {end, end, 1}; // of 32 bits the number is none any more
    return ompls_chunk<T>(begin, end, before + more, chunk);
}

template <typename T> static __device__ inline T ompls_next(ompls_range<T> range, T it)
{
    return range.end - it > range.stride ? it + range.stride : range.end;
}

template <typename T> static __device__ ompls_range<T> ompls_get_distribute_chunk(T count)
{
    return ompls_share<T>(0, count, blockIdx.x, gridDim.x);
}

template <typename T> static __device__ ompls_range<T> ompls_get_distribute_chunk(T count, T chunk)
{
    return ompls_chunk<T>(0, count, blockIdx.x, chunk < 1 ? 1 : chunk);
}

template <typename T> static __device__ bool ompls_next_distribute_chunk(ompls_range<T> *team, T count, T chunk)
{
    if (chunk < 1) chunk = 1;
    if (team->begin < count) *team = ompls_chunk_after<T>(0, count, team->begin, T(gridDim.x), chunk);
    return team->begin < count;
}

template <typename T> static __device__ ompls_range<T> ompls_get_static_chunk(ompls_range<T> team)
{
    const T me = omp_get_thread_num(), threads = omp_get_num_threads();
#ifdef OMPLS_SIDE_BY_SIDE
    return ompls_share(team.begin, team.end, me, threads);
#else
    if (team.end <= team.begin || me >= team.end - team.begin) return {team.end, team.end, threads};
    return {team.begin + me, team.end, threads};
#endif
}

template <typename T> static __device__ ompls_range<T> ompls_get_static_chunk_contiguous(ompls_range<T> team)
{
    return ompls_share<T>(team.begin, team.end, omp_get_thread_num(), omp_get_num_threads());
}

template <typename T> static __device__ ompls_range<T> ompls_get_static_chunk(ompls_range<T> team, T chunk)
{
    return ompls_chunk<T>(team.begin, team.end, omp_get_thread_num(), chunk < 1 ? 1 : chunk);
}

template <typename T>
static __device__ bool ompls_next_static_chunk(ompls_range<T> *mine, ompls_range<T> team, T chunk)
{
    if (chunk < 1) chunk = 1;
    if (mine->begin < team.end)
        *mine = ompls_chunk_after<T>(team.begin, team.end, mine->begin - team.begin, T(omp_get_num_threads()), chunk);
    return mine->begin < team.end;
}

// --- one loop along each dimension of the grid --------------------------------------------------------------------
// This thread's iterations are what `for (T at : …)` takes.  The host keeps the number of threads below 2^31.
template <typename T> struct ompls_signed { typedef T type; };
template <> struct ompls_signed<unsigned> { typedef int type; };

// Of `count` iterations those whose numbers are `all` apart.
template <typename T> struct ompls_strided {
#if defined(OMPLS_LOOPS) || defined(OMPLS_SIDE_BY_SIDE) || defined(OMPLS_GRID)
    ompls_range<T> left;
    __device__ T operator*() const { return left.begin; }
    __device__ bool operator!=(const ompls_strided &) const { return left.begin < left.end; }
#ifdef OMPLS_SIDE_BY_SIDE
    __device__ void operator++() { left.begin++; }
#elif defined(OMPLS_LOOPS)
    __device__ void operator++() { left.begin = ompls_next(left, left.begin); }
#else // few turns; neither the end nor the stride is beyond 2^31
    __device__ void operator++() { left.begin += left.stride; }
#endif
#else // it counts up to zero, so nothing overflows, and the compiler can say how often and unroll
    typename ompls_signed<T>::type left, stride;
    T count; // 2^31 at most, if it has 32 bits
    __device__ T operator*() const { return count + T(left); }
    __device__ bool operator!=(const ompls_strided &) const { return left < 0; }
    __device__ void operator++() { left += stride; }
#endif
    __device__ ompls_strided begin() const { return *this; }
    __device__ ompls_strided end() const { return *this; }
};
template <typename T> static __device__ inline ompls_strided<T> ompls_each(T count, unsigned me, unsigned all)
{
    const T most = count > 0 ? count : 0;
#ifdef OMPLS_SIDE_BY_SIDE
    if (T(all) <= most) return {ompls_share<T>(0, most, T(me), T(all))};
    return {{T(me) < most ? T(me) : most, T(me) < most ? T(me) + 1 : most, 1}};
#elif defined(OMPLS_LOOPS) || defined(OMPLS_GRID)
    return {{T(me) < most ? T(me) : most, most, T(all) < most ? T(all) : most}};
#else
    typedef typename ompls_signed<T>::type S;
    return {S(T(me) - most), S(all), most};
#endif
}

// A part of the iterations, of which each thread of the launch has one.
#ifdef OMPLS_LOOPS // all iterations are one launch's
template <typename T> using ompls_single = ompls_strided<T>;
template <typename T> static __device__ inline ompls_single<T> ompls_each(ompls_part_of<T> part, unsigned me, unsigned all)
{
    return ompls_each(part.count, me, all);
}
#else // a loop that ends after its first turn is an `if` to the compiler
template <typename T> struct ompls_single {
    T at;
    bool mine;
    __device__ ompls_single begin() const { return *this; }
    __device__ ompls_single end() const { return *this; }
    __device__ T operator*() const { return at; }
    __device__ bool operator!=(const ompls_single &) const { return mine; }
    __device__ void operator++() { mine = false; }
};
template <typename T> static __device__ inline ompls_single<T> ompls_each(ompls_part_of<T> part, unsigned me, unsigned)
{
    return {T(part.first + me), me < unsigned(part.count)};
}
#endif
static __device__ inline ompls_single<unsigned> ompls_each(ompls_part part, unsigned me, unsigned all)
{
    ompls_part_of<unsigned> two;
    memcpy(&two, &part, sizeof two);
    return ompls_each(two, me, all);
}

template <typename T> static __device__ inline auto ompls_iterations_x(T loop) -> decltype(ompls_each(loop, 0, 0))
{
    return ompls_each(loop, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
}
template <typename T> static __device__ inline auto ompls_iterations_y(T loop) -> decltype(ompls_each(loop, 0, 0))
{
    return ompls_each(loop, blockIdx.y * blockDim.y + threadIdx.y, gridDim.y * blockDim.y);
}
template <typename T> static __device__ inline auto ompls_iterations_z(T loop) -> decltype(ompls_each(loop, 0, 0))
{
    return ompls_each(loop, blockIdx.z * blockDim.z + threadIdx.z, gridDim.z * blockDim.z);
}

// The ends of a range of counters (bounds of non-rectangular nests).
template <typename T> static __device__ inline T ompls_most(T a, T b) { return a < b ? b : a; }
template <typename T> static __device__ inline T ompls_least(T a, T b) { return b < a ? b : a; }

// --- schedule(dynamic) and schedule(guided) ---------------------------------------------------------------------
// The first iteration of the team's range that no thread has taken.  One loop at a time uses it: the first barrier of
// the next loop comes after everybody has left the last one, also after `nowait`.
static __shared__ unsigned long long ompls_untaken;

template <typename T> static __device__ ompls_range<T> ompls_loop_begin(ompls_range<T> team)
{
    ompls_barrier();
    if (!ompls_alone() && omp_get_thread_num() == 0) ompls_untaken = team.begin;
    ompls_barrier();
    return {team.begin, team.begin, 0}; // nothing yet
}

// A thread that is a team of its own has no counter: its first chunk is everything.
template <typename T> static __device__ inline bool ompls_take_all(ompls_range<T> *mine, ompls_range<T> team)
{
    const bool first = mine->stride == 0;
    *mine = {team.begin, team.end, 1};
    return first && team.begin < team.end;
}

template <typename T>
static __device__ bool ompls_next_dynamic_chunk(ompls_range<T> *mine, ompls_range<T> team, T chunk)
{
    if (ompls_alone()) return ompls_take_all(mine, team);
    ompls_let_others_run();
    if (team.end <= team.begin) return false;
    const T most = team.end - team.begin, size = chunk < 1 ? 1 : chunk < most ? chunk : most;
    const unsigned long long first = atomicAdd(&ompls_untaken, static_cast<unsigned long long>(size));
    if (first >= static_cast<unsigned long long>(team.end)) return false;
    *mine = {T(first), team.end - T(first) > size ? T(T(first) + size) : team.end, 1};
    return true;
}

// Each chunk is a share of what is left, at least `chunk`.  A swap fails only when another thread has got a chunk.
template <typename T>
static __device__ bool ompls_next_guided_chunk(ompls_range<T> *mine, ompls_range<T> team, T chunk)
{
    if (ompls_alone()) return ompls_take_all(mine, team);
    ompls_let_others_run();
    const T threads = omp_get_num_threads(), least = chunk < 1 ? 1 : chunk;
    unsigned long long seen = *static_cast<volatile unsigned long long *>(&ompls_untaken);
    while (seen < static_cast<unsigned long long>(team.end)) {
        const T first = T(seen), left = team.end - first, share = ompls_quotient<T>(left, threads);
        const T size = share > least ? share : least;
        const T end = left > size ? T(first + size) : team.end;
        const unsigned long long found = atomicCAS(&ompls_untaken, seen, static_cast<unsigned long long>(end));
        if (found == seen) {
            *mine = {first, end, 1};
            return true;
        }
        seen = found;
    }
    return false;
}

// --- lastprivate(conditional:) ----------------------------------------------------------------------------------
static __shared__ unsigned long long ompls_latest_when;

// `*target = value` by the thread whose `when` (an iteration's number from 1, 0: none) is the largest in the team.
template <typename T, typename I> static __device__ void ompls_latest(T *target, T value, I when)
{
    const bool alone = ompls_alone();
    if (!alone && omp_get_thread_num() == 0) ompls_latest_when = 0;
    ompls_barrier();
    if (!alone && when) atomicMax(&ompls_latest_when, static_cast<unsigned long long>(when));
    ompls_barrier();
    if (when && (alone || ompls_latest_when == static_cast<unsigned long long>(when))) *target = value;
    ompls_barrier(); // nobody resets it before all have looked
}

// --- ordered ----------------------------------------------------------------------------------------------------
// The threads take turns: chunk after chunk in order, with a barrier between, which all of them reach whoever's turn it
// is; nobody spins for its turn.  Doacross loops and `scan` are run like this, too.  A chunk of 0 is an equal share.
template <typename T> static __device__ T ompls_turn_size(ompls_range<T> team, T chunk)
{
    const T threads = omp_get_num_threads(), count = team.end > team.begin ? team.end - team.begin : 0;
    const T share = ompls_quotient(count, threads) + (count % threads ? 1 : 0);
    return chunk > 0 ? chunk : share > 0 ? share : 1;
}

template <typename T> static __device__ T ompls_turns(ompls_range<T> team, T chunk)
{
    const T size = ompls_turn_size(team, chunk), count = team.end > team.begin ? team.end - team.begin : 0;
    return ompls_quotient(count, size) + (count % size ? 1 : 0);
}

template <typename T> static __device__ ompls_range<T> ompls_get_turn(ompls_range<T> team, T turn, T chunk)
{
    if (turn % T(omp_get_num_threads()) != T(omp_get_thread_num())) return {team.end, team.end, 1};
    return ompls_chunk<T>(team.begin, team.end, turn, ompls_turn_size(team, chunk));
}
