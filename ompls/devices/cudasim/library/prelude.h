// prelude.h -- CUDA C++ for g++: what nvrtc has built in, on top of engine.h.  Included before every kernel file.
#pragma once
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "protocol.h"

#define OMPLS_CUDASIM 1
#ifndef OMPLS_SIM_CHECK
#define OMPLS_SIDE_BY_SIDE 1 // see ompls_get_static_chunk: what CPUs and their compilers like
#endif
#define __CUDACC__ 1
#define __CUDA_ARCH__ (SIM_ARCH * 10)
#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __shared__ thread_local // a block runs on one core; `extern __shared__`: see engine.h
#define __align__(n) __attribute__((aligned(n)))

#define threadIdx (ompls_sim_current.thread)
#define blockIdx (ompls_sim_current.block)
#define blockDim (ompls_sim_current.block_dim)
#define gridDim (ompls_sim_current.grid_dim)
#define warpSize 32
// ompls_barrier() says where it is called: lanes of a warp may not come to different barriers.
#define OMPLS_CALL_SITE unsigned line = __builtin_LINE()
#define OMPLS_SITE_PARAMETER unsigned line
#define OMPLS_SITE line
#undef printf
#define printf ompls_sim_printf
#ifdef OMPLS_SIM_CHECK
// What the C library touches on a kernel's behalf is seen, too.
extern "C" void ompls_sim_see_range(const void *p, size_t size, int write);
static inline void *ompls_sim_memcpy(void *to, const void *from, size_t size)
{
    ompls_sim_see_range(from, size, 0);
    ompls_sim_see_range(to, size, 1);
    return __builtin_memcpy(to, from, size);
}
static inline void *ompls_sim_memmove(void *to, const void *from, size_t size)
{
    ompls_sim_see_range(from, size, 0);
    ompls_sim_see_range(to, size, 1);
    return __builtin_memmove(to, from, size);
}
static inline void *ompls_sim_memset(void *to, int value, size_t size)
{
    ompls_sim_see_range(to, size, 1);
    return __builtin_memset(to, value, size);
}
// ompls_atomic_update reads a whole word where one byte of it is meant; the swap tells which.
template <typename Word> __attribute__((noinline, no_sanitize("thread"))) static Word ompls_sim_peek(volatile Word *word) { return *word; }
#define OMPLS_WHOLE_WORD(word) ompls_sim_peek<Word>(word)
// Of a constant size they are single accesses of the compiler's making.
#define memcpy(to, from, size)                                                                                         \
    (__builtin_constant_p(size) && (size) <= 16 ? __builtin_memcpy(to, from, size) : ompls_sim_memcpy(to, from, size))
extern "C" void *ompls_sim_new_memory(void *p, size_t size);
static inline void *ompls_sim_malloc(size_t size) { return ompls_sim_new_memory(ompls_sim_heap_take(size), size); }
#define malloc ompls_sim_malloc
#define memmove ompls_sim_memmove
#define memset ompls_sim_memset
#else
#define malloc ompls_sim_heap_take
#endif
#define free ompls_sim_heap_give
#undef assert
#define assert(e) ((e) ? (void)0 : ompls_sim_assert_failed(#e, __FILE__, __LINE__, __func__))

// --- vector types -----------------------------------------------------------------------------------------------
#define OMPLS_VECTORS(T, name)                                                                                         \
    struct __align__(2 * sizeof(T)) name##2 { T x, y; };                                                               \
    struct __align__(16) name##4 { T x, y, z, w; };                                                                    \
    static inline name##2 make_##name##2(T x, T y) { return {x, y}; }                                                  \
    static inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
OMPLS_VECTORS(int, int)
OMPLS_VECTORS(unsigned, uint)
OMPLS_VECTORS(float, float)
OMPLS_VECTORS(double, double)
#undef OMPLS_VECTORS
struct int3 { int x, y, z; };
struct float3 { float x, y, z; };
struct double3 { double x, y, z; };

// --- synchronisation --------------------------------------------------------------------------------------------
#define __syncthreads ompls_sim_syncthreads
static inline int __syncthreads_count(int p, unsigned line = __builtin_LINE()) { return int(ompls_sim_syncthreads_count(p != 0, line)); }
static inline int __syncthreads_or(int p, unsigned line = __builtin_LINE()) { return ompls_sim_syncthreads_count(p != 0, line) != 0; }
static inline int __syncthreads_and(int p, unsigned line = __builtin_LINE()) { return ompls_sim_syncthreads_count(p == 0, line) == 0; }
static inline void __syncwarp(unsigned mask = 0xffffffffu) { ompls_sim_warp(OMPLS_SIM_SYNC, mask, 0, 0); }
static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#if SIM_ARCH >= 70
static inline void __nanosleep(unsigned) { ompls_sim_yield(); }
#endif
#define __trap ompls_sim_trap

// --- warps ------------------------------------------------------------------------------------------------------
static inline unsigned ompls_sim_lane() { return ompls_sim_linear() % 32; }
// Only the caller is known to be active: from sm_70 nothing else is promised (CUDA programming guide, __activemask).
static inline unsigned __activemask() { return 1u << ompls_sim_lane(); }
static inline unsigned __ballot_sync(unsigned mask, int p) { return unsigned(ompls_sim_warp(OMPLS_SIM_BALLOT, mask, p != 0, 0)); }
static inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
static inline int __all_sync(unsigned mask, int p) { return __ballot_sync(mask, p) == mask; }
#if SIM_ARCH >= 70
template <typename T> static inline unsigned __match_any_sync(unsigned mask, T value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return unsigned(ompls_sim_warp(OMPLS_SIM_MATCH, mask, bits, 0));
}
#endif
static inline int ompls_sim_width(int width)
{
    if (width < 1 || width > 32 || (width & (width - 1))) ompls_sim_wrong_width(width);
    return width;
}
template <typename T> static inline T ompls_sim_shuffle(unsigned mask, T value, int source)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles move 4 or 8 bytes");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = ompls_sim_warp(OMPLS_SIM_SHUFFLE, mask, bits, source);
    memcpy(&value, &bits, sizeof value);
    return value;
}
// The source lane of each shuffle, in segments of `width` lanes (PTX ISA, shfl.sync): out of range is the own lane.
template <typename T> static inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32)
{
    const int base = int(ompls_sim_lane()) & ~(ompls_sim_width(width) - 1);
    return ompls_sim_shuffle(mask, value, base | (lane & (width - 1)));
}
template <typename T> static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    const int me = int(ompls_sim_lane()), from = me - int(delta);
    return ompls_sim_shuffle(mask, value, from < (me & ~(ompls_sim_width(width) - 1)) ? me : from);
}
template <typename T> static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    const int me = int(ompls_sim_lane()), from = me + int(delta);
    return ompls_sim_shuffle(mask, value, from > (me | (ompls_sim_width(width) - 1)) ? me : from);
}
template <typename T> static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32)
{
    const int me = int(ompls_sim_lane()), from = me ^ bits;
    return ompls_sim_shuffle(mask, value, from > (me | (ompls_sim_width(width) - 1)) ? me : from);
}

// --- memory -----------------------------------------------------------------------------------------------------
// A variable of the calling thread; the stacks of threads lie where neither global memory nor (mostly) shared is.
static inline unsigned __isLocal(const volatile void *p)
{
    return reinterpret_cast<uintptr_t>(p) - SIM_INTERNAL_BASE < SIM_INTERNAL_SIZE && ompls_sim_on_stack(p);
}

// --- atomics ----------------------------------------------------------------------------------------------------
// The compiler checks plain accesses (-fsanitize=alignment), not these.
template <typename T> static inline T *ompls_sim_aligned(T *p)
{
    if (__isLocal(p)) ompls_sim_local_atomic();
    if (reinterpret_cast<uintptr_t>(p) % sizeof(T) != 0) ompls_sim_misaligned();
    return p;
}
// A thread that keeps failing to swap may wait for one that cannot run before it lets go of the core.
static inline void ompls_sim_swap_failed()
{
    if (++ompls_sim_current.failed_swaps % 64 == 0) ompls_sim_yield();
}
template <typename T, typename A, typename B> static inline T atomicCAS(T *p, A compare, B value)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8 || (sizeof(T) == 2 && SIM_ARCH >= 70), "atomicCAS swaps 4 or 8 bytes, from sm_70 also 2");
    T expected = T(compare);
    if (!__atomic_compare_exchange_n(ompls_sim_aligned(p), &expected, T(value), false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ompls_sim_swap_failed();
    return expected;
}
#define OMPLS_ATOMIC(name, builtin)                                                                                    \
    template <typename T, typename V> static inline T name(T *p, V value)                                              \
    {                                                                                                                  \
        return builtin(ompls_sim_aligned(p), T(value), __ATOMIC_ACQ_REL);                                                                 \
    }
OMPLS_ATOMIC(ompls_sim_add, __atomic_fetch_add)
OMPLS_ATOMIC(atomicSub, __atomic_fetch_sub)
OMPLS_ATOMIC(atomicAnd, __atomic_fetch_and)
OMPLS_ATOMIC(atomicOr, __atomic_fetch_or)
OMPLS_ATOMIC(atomicXor, __atomic_fetch_xor)
#undef OMPLS_ATOMIC
// Anything else: a loop over the bits.
template <typename Word, typename T, class F> static inline T ompls_sim_update(T *p, F update)
{
    Word *word = ompls_sim_aligned(reinterpret_cast<Word *>(p)), seen = __atomic_load_n(word, __ATOMIC_ACQUIRE), fresh;
    T old;
    do {
        memcpy(&old, &seen, sizeof old);
        const T value = update(old);
        memcpy(&fresh, &value, sizeof fresh);
    } while (!__atomic_compare_exchange_n(word, &seen, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return old;
}
template <typename T, typename V> static inline T atomicAdd(T *p, V value) { return ompls_sim_add(p, value); }
template <typename V> static inline float atomicAdd(float *p, V value)
{
    return ompls_sim_update<uint32_t>(p, [=](float old) { return old + float(value); });
}
#if SIM_ARCH >= 60
template <typename V> static inline double atomicAdd(double *p, V value)
{
    return ompls_sim_update<uint64_t>(p, [=](double old) { return old + double(value); });
}
#else
template <typename V> double atomicAdd(double *p, V value) = delete;
#endif
template <typename T, typename V> static inline T atomicExch(T *p, V value)
{
    T fresh = T(value), old;
    __atomic_exchange(ompls_sim_aligned(p), &fresh, &old, __ATOMIC_ACQ_REL);
    return old;
}
template <bool eight> struct ompls_sim_word { typedef uint32_t type; };
template <> struct ompls_sim_word<true> { typedef uint64_t type; };
template <typename T, typename V> static inline T atomicMin(T *p, V value)
{
    return ompls_sim_update<typename ompls_sim_word<sizeof(T) == 8>::type>(p, [=](T old) { return T(value) < old ? T(value) : old; });
}
template <typename T, typename V> static inline T atomicMax(T *p, V value)
{
    return ompls_sim_update<typename ompls_sim_word<sizeof(T) == 8>::type>(p, [=](T old) { return old < T(value) ? T(value) : old; });
}
static inline unsigned atomicInc(unsigned *p, unsigned limit)
{
    return ompls_sim_update<uint32_t>(p, [=](unsigned old) { return old >= limit ? 0 : old + 1; });
}
static inline unsigned atomicDec(unsigned *p, unsigned limit)
{
    return ompls_sim_update<uint32_t>(p, [=](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}

// --- arithmetic -------------------------------------------------------------------------------------------------
template <typename To, typename From> static inline To ompls_sim_bits(From value)
{
    To result;
    static_assert(sizeof result == sizeof value, "");
    memcpy(&result, &value, sizeof result);
    return result;
}
static inline float __int_as_float(int v) { return ompls_sim_bits<float>(v); }
static inline int __float_as_int(float v) { return ompls_sim_bits<int>(v); }
static inline float __uint_as_float(unsigned v) { return ompls_sim_bits<float>(v); }
static inline unsigned __float_as_uint(float v) { return ompls_sim_bits<unsigned>(v); }
static inline double __longlong_as_double(long long v) { return ompls_sim_bits<double>(v); }
static inline long long __double_as_longlong(double v) { return ompls_sim_bits<long long>(v); }
static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
static inline int __clz(int v) { return v ? __builtin_clz(unsigned(v)) : 32; }
static inline int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
static inline int __ffs(int v) { return __builtin_ffs(v); }
static inline int __ffsll(long long v) { return __builtin_ffsll(v); }
static inline float rsqrtf(float v) { return 1.0f / sqrtf(v); }
static inline double rsqrt(double v) { return 1.0 / sqrt(v); }
static inline float __fdividef(float a, float b) { return a / b; }
#define __expf expf // glibc declares the fast name for itself
#define __logf logf // glibc declares the fast name for itself
#define __sinf sinf // glibc declares the fast name for itself
#define __cosf cosf // glibc declares the fast name for itself
#define __powf powf
static inline int min(int a, int b) { return b < a ? b : a; }
static inline int max(int a, int b) { return a < b ? b : a; }
static inline unsigned min(unsigned a, unsigned b) { return b < a ? b : a; }
static inline unsigned max(unsigned a, unsigned b) { return a < b ? b : a; }
static inline long min(long a, long b) { return b < a ? b : a; }
static inline long max(long a, long b) { return a < b ? b : a; }
static inline long long min(long long a, long long b) { return b < a ? b : a; }
static inline long long max(long long a, long long b) { return a < b ? b : a; }
static inline float min(float a, float b) { return fminf(a, b); }
static inline float max(float a, float b) { return fmaxf(a, b); }
static inline double min(double a, double b) { return fmin(a, b); }
static inline double max(double a, double b) { return fmax(a, b); }
template <typename T> static inline T __ldg(const T *p) { return *p; }
#undef clock
#define clock ompls_sim_clock
#define clock64 ompls_sim_clock

// --- the entry of a kernel ----------------------------------------------------------------------------------------
// OMPLS_SIM_KERNEL(name) after the kernel defines ompls_sim_kernel_NAME: the loop over the threads, with the kernel in it.
template <typename P, typename = void> struct ompls_sim_pointed { static constexpr uint32_t alignment = 0; };
template <typename T> struct ompls_sim_pointed<T *, decltype(void(sizeof(T)))> { static constexpr uint32_t alignment = alignof(T); };
template <auto kernel, typename F> struct ompls_sim_entry;
template <auto kernel, typename... P> struct ompls_sim_entry<kernel, void (*)(P...)> {
    static constexpr uint32_t sizes[sizeof...(P) + 1] = {uint32_t(sizeof(P))..., 0};
    static constexpr uint32_t alignments[sizeof...(P) + 1] = {ompls_sim_pointed<P>::alignment..., 0};
    template <size_t... I> struct indices {};
    template <size_t N, size_t... I> struct up_to : up_to<N - 1, N - 1, I...> {};
    template <size_t... I> struct up_to<0, I...> { typedef indices<I...> type; };
    template <size_t... I> static void loop(void *const *params, indices<I...>)
    {
        threads(*static_cast<P *>(params[I])...);
    }
    static void threads(P... arguments)
    {
        ompls_sim_threads([&] { kernel(arguments...); });
    }
    static void run(void *const *params) { loop(params, typename up_to<sizeof...(P)>::type()); }
};
#define OMPLS_SIM_KERNEL(name)                                                                                         \
    extern "C" {                                                                                                       \
    extern const sim_kernel ompls_sim_kernel_##name;                                                                   \
    const sim_kernel ompls_sim_kernel_##name = {                                                                       \
        ompls_sim_entry<&name, decltype(&name)>::run,                                                                  \
        sizeof(ompls_sim_entry<&name, decltype(&name)>::sizes) / sizeof(uint32_t) - 1,                                 \
        ompls_sim_entry<&name, decltype(&name)>::sizes, ompls_sim_entry<&name, decltype(&name)>::alignments};          \
    }
