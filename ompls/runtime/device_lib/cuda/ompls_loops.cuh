// Two-phase distribution of a loop: the league's teams take chunks, a team's threads take iterations of their chunk.
//
// No expression here exceeds `count` but `begin + stride` of the last iteration, which the caller's loop computes.
#pragma once

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
    if (team->begin < count) *team = ompls_chunk<T>(0, count, team->begin / chunk + T(gridDim.x), chunk);
    return team->begin < count;
}

template <typename T> static __device__ ompls_range<T> ompls_get_static_chunk(ompls_range<T> team)
{
    const T me = omp_get_thread_num(), threads = omp_get_num_threads();
    if (team.end <= team.begin || me >= team.end - team.begin) return {team.end, team.end, threads};
    return {team.begin + me, team.end, threads};
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
        *mine = ompls_chunk<T>(team.begin, team.end, (mine->begin - team.begin) / chunk + T(omp_get_num_threads()), chunk);
    return mine->begin < team.end;
}
