// ompls_device.cuh -- the device part of the CUDA runtime: what generated kernels call.
//
// Included by every generated kernel file, compiled by nvrtc/nvcc for a GPU and by g++ for `cudasim`.  This page is the
// contract; the parts beside it hold the bodies.  Self-contained: no header of CUDA or of C is needed.
//
// A kernel file is either SPMD (every thread runs the kernel; the first statement is ompls_spmd_begin()) or generic
// (master/worker; it defines OMPLS_GENERIC *before* this include and begins with ompls_target_begin()).  An SPMD file that
// calls ompls_parallel (nested regions) defines OMPLS_NESTED; one without parallel regions may define OMPLS_SEQUENTIAL, which
// the routines about levels and limits need, as how many threads a parallel region would have.  An SPMD file whose grid and
// block have two or three dimensions defines OMPLS_GRID; team and thread numbers are then counted with x fastest.  The mode
// is a constant of the file, so that thread ids cost nothing; a file that forgets a definition does not compile.
#pragma once
#ifdef OMPLS_GENERIC
#define OMPLS_IS_GENERIC true
#define OMPLS_NESTED
#else
#define OMPLS_IS_GENERIC false
#endif
#ifdef OMPLS_NESTED
#define OMPLS_HAS_NESTED true
#else
#define OMPLS_HAS_NESTED false
#endif
#ifndef OMPLS_SEQUENTIAL
#define OMPLS_SEQUENTIAL 0
#endif
#define OMPLS_IS_SEQUENTIAL (OMPLS_SEQUENTIAL > 0)

// On parameters through which a kernel only reads.  Such a kernel is compiled twice, with and without the promise; a launch
// takes KERNEL_restrict where nothing that the kernel may write overlaps what these lead to (core/ompls.h, only_read).
#ifndef OMPLS_RESTRICT
#define OMPLS_RESTRICT
#endif

#ifndef OMPLS_CUDASIM // which wants to know the line of a barrier
#define OMPLS_CALL_SITE
#define OMPLS_SITE_PARAMETER
#define OMPLS_SITE
#endif

// Where a member of a structure begins, as a constant: nvrtc takes no other form.
#ifdef __CUDACC_RTC__
#define OMPLS_OFFSET(type, member) __INTADDR__(&(((type *)0)->member))
#else
#define OMPLS_OFFSET(type, member) __builtin_offsetof(type, member)
#endif

// --- arrays of variable length ----------------------------------------------------------------------------------
// A length that is an `int` in the program.  Places are computed in 64 bits, and a product of two such numbers is short.
struct ompls_extent {
    int length;
    __device__ operator long long() const { return length; }
};

// --- loops ------------------------------------------------------------------------------------------------------
// A range of normalised iterations 0..count-1: begin, begin+stride, … while < end.  T is int, unsigned int or long long.
template <typename T> struct ompls_range { T begin, end, stride; };
// The iteration after `it`, or the range's end: for an unsigned int count beyond 2^31, to which no stride may be added.
template <typename T> static __device__ T ompls_next(ompls_range<T> range, T it);

// Phase one: this team's chunk of `count` iterations (dist_schedule absent or static: one contiguous chunk a team).
template <typename T> static __device__ ompls_range<T> ompls_get_distribute_chunk(T count);
// dist_schedule(static, chunk): this team's first chunk; the chunks go round robin, and the caller loops:
//   ompls_range<T> team = ompls_get_distribute_chunk(count, chunk);
//   do { … } while (ompls_next_distribute_chunk(&team, count, chunk));
template <typename T> static __device__ ompls_range<T> ompls_get_distribute_chunk(T count, T chunk);
template <typename T> static __device__ bool ompls_next_distribute_chunk(ompls_range<T> *team, T count, T chunk);
// Phase two: this thread's iterations of the team's range.  No schedule clause: neighbouring threads take neighbouring
// iterations (stride = team size), which coalesces; on cudasim (OMPLS_SIDE_BY_SIDE) each thread takes neighbouring ones.
// `_contiguous`: schedule(static) without chunk.
template <typename T> static __device__ ompls_range<T> ompls_get_static_chunk(ompls_range<T> team);
template <typename T> static __device__ ompls_range<T> ompls_get_static_chunk_contiguous(ompls_range<T> team);
// schedule(static, chunk): this thread's first chunk of the team's range, and the next one (loop as above).
template <typename T> static __device__ ompls_range<T> ompls_get_static_chunk(ompls_range<T> team, T chunk);
template <typename T>
static __device__ bool ompls_next_static_chunk(ompls_range<T> *mine, ompls_range<T> team, T chunk);
// schedule(dynamic[, chunk]) and schedule(guided[, chunk]): the threads take chunks from a counter in shared memory.
//   ompls_range<T> mine = ompls_loop_begin(team);  // by all threads of the team: two barriers
//   while (ompls_next_dynamic_chunk(&mine, team, chunk)) { … }
template <typename T> static __device__ ompls_range<T> ompls_loop_begin(ompls_range<T> team);
template <typename T>
static __device__ bool ompls_next_dynamic_chunk(ompls_range<T> *mine, ompls_range<T> team, T chunk);
template <typename T>
static __device__ bool ompls_next_guided_chunk(ompls_range<T> *mine, ompls_range<T> team, T chunk);
// A loop along a dimension of the grid, x the innermost one's; both phases in one.  Any grid and block will do:
//   for (const unsigned int at : ompls_iterations_x(count)) { … }  // an unsigned int count is 2^31 at most
// A kernel of which each thread has one iteration at most: a parameter `ompls_part ompls_part_x` for each dimension says
// which iterations the launch is about; there are at least as many threads.  This thread's is a range of one or none:
//   for (const unsigned int at : ompls_iterations_x(ompls_part_x)) { … }
// With OMPLS_LOOPS, where starting a thread is dear (ompls_properties.loops), it has as many as there are for it.
// ompls_iterations_y and ompls_iterations_z: along the other dimensions.
template <typename T> struct alignas(8) ompls_part_of { T first, count; };
struct alignas(8) ompls_part { unsigned long long both; }; // an ompls_part_of<unsigned>, which is read in one access
using ompls_long_part = ompls_part_of<long long>; // of a loop that may have 2^32 iterations or more
// lastprivate(conditional: x) after the loop: the value of the latest iteration (from 1; 0: none) that assigned to x.
template <typename T, typename I> static __device__ void ompls_latest(T *target, T value, I when);
// `ordered`: turn k of ompls_turns() is one thread's chunk (0: an equal share), empty for the others; a barrier follows.
template <typename T> static __device__ T ompls_turns(ompls_range<T> team, T chunk);
template <typename T> static __device__ ompls_range<T> ompls_get_turn(ompls_range<T> team, T turn, T chunk);
// For the counters of collapsed loops: a / b where both are positive, and the smaller and the larger of two.
template <typename T> static __device__ T ompls_quotient(T a, T b);
template <typename T> static __device__ T ompls_least(T a, T b);
template <typename T> static __device__ T ompls_most(T a, T b);

// --- SPMD -------------------------------------------------------------------------------------------------------
// The prologue of an SPMD kernel, called by every thread; no barrier, and nothing at all where it is not needed.
static __device__ void ompls_spmd_begin();

// --- master/worker ----------------------------------------------------------------------------------------------
// Kernel prologue of a region that is not SPMD: block of 128 threads, 0-95 are workers, 96 is the master.  Returns true
// in the one thread that runs the sequential code; in all others it serves parallel regions and returns false when the
// master has called ompls_target_end().  `limit`: a parallel region's threads, at most (thread_limit; 0: all 96).
template <bool generic = OMPLS_IS_GENERIC> static __device__ bool ompls_target_begin(int limit = 0);
static __device__ void ompls_target_end();
// Run `fn(vars)` on `num_threads` workers (0: as many as may be), called by the master; returns when all are done.  Called inside a
// parallel region (also in an SPMD kernel): nested, run by the caller as a team of one.  num_threads 1: likewise.
template <bool nested = OMPLS_HAS_NESTED>
static __device__ void ompls_parallel(void (*fn)(void *), void *vars, int num_threads);
// How many threads to ask for where a region is a loop of `count` iterations and nobody can tell how many there are.
template <typename T> static __device__ int ompls_threads_for(T count);
// The shared-memory stack for variables that a parallel region shares: push copies in, pop copies back and frees.
// Last pushed, first popped.  What does not fit goes to the device's heap.  `from` may be 0: not copied.
static __device__ void *ompls_push_shmem(const void *from, unsigned long size);
static __device__ void ompls_pop_shmem(void *to, unsigned long size);
// A barrier of the current team's threads (of the parallel region in generic mode, of the block in SPMD mode).
static __device__ void ompls_barrier(OMPLS_CALL_SITE);

// --- constructs that some threads of a team run -----------------------------------------------------------------
// Whether the calling thread runs section `k` of a `sections` construct.
static __device__ bool ompls_runs_section(int k);
// `copyprivate`: thread 0's value goes to all threads of the team; every one of them calls it.
static __device__ void ompls_broadcast(void *value, unsigned long size);
// `error at(execution)`: prints "FILE:LINE: error: MESSAGE"; ends the program when it is fatal.
static __device__ void ompls_error(bool fatal, const char *file, int line, const char *message);
// A lock of the OpenMP API: ompls_with_lock(&lock, [&] { … omp_unset_lock(&lock); … }) without warp deadlock.
template <typename L, class F> static __device__ void ompls_with_lock(L *lock, F body);
template <typename L, class F> static __device__ void ompls_with_nest_lock(L *lock, F body);
// body() once in each thread, after `take` has said true in it: what the two above are made of.
template <class G, class F> static __device__ void ompls_once_taken(G take, F body);
// OMPLS_UNJOINED(omp_set_lock, &lock, "why"): a wait that is not joined with what is done under the lock.  A GPU before
// sm_70 may hang there, so a kernel for one does not compile.
// The same value; no optimizer knows.  Around the condition of a loop that asks for locks.
static __device__ bool ompls_unknown(bool value);

// --- reductions and atomics -------------------------------------------------------------------------------------
// T for an argument that has no say in what T is.
template <typename T> struct ompls_type_identity { typedef T type; };
template <typename T> using ompls_converted = typename ompls_type_identity<T>::type;
struct ompls_add; struct ompls_mul; struct ompls_min; struct ompls_max; struct ompls_and; struct ompls_or;
struct ompls_xor; struct ompls_land; struct ompls_lor;
// For `atomic` only (not reductions: `-` reduces like `+`): *target = *target OP value, and OP reversed (value OP *target).
struct ompls_sub; struct ompls_div; struct ompls_shl; struct ompls_shr;
struct ompls_rsub; struct ompls_rdiv; struct ompls_rshl; struct ompls_rshr;
// `*target = *target OP (all threads' values)`: every thread of the team calls it; one atomic a team.
template <class Op, typename T> static __device__ void ompls_reduce(T *target, T value);
// The same, once a launch, without an atomic: `partials` has 16 bytes, which are 0 then and afterwards, and room for a T of
// each team, in whole words of 8 bytes.
template <class Op, typename T> static __device__ void ompls_reduce_teams(T *target, T value, void *partials);
template <class Op, typename T> static __device__ void ompls_reduce_array(T *target, const T *mine, long count);
// The same for an array of which the team has one part, in shared memory, to which each thread adds with ompls_gather.
template <class Op, typename T> static __device__ void ompls_gather_begin(T *part, int count);
template <class Op, typename T> static __device__ void ompls_gather(T *element, ompls_converted<T> value);
template <class Op, typename T> static __device__ void ompls_gather_end(T *target, const T *part, int count);
// `original OP (all threads' values)` in every thread: they contribute, meet at a barrier and ask for the total.  Before
// they contribute to the same site again they meet once more.
template <class Op, int site, typename T> static __device__ void ompls_contribute(T value);
template <class Op, int site, typename T> static __device__ T ompls_total(T original);
template <class Op, typename T> static __device__ T ompls_identity();
// `*target = *target OP value`, called by one thread: for any Op and T (an operator of the user's is a class with
// `apply(out, in)`); several threads and teams may share the target.
template <class Op, typename T> static __device__ void ompls_join(T *target, T value);
template <class Op, typename T> static __device__ void ompls_join_array(T *target, const T *mine, long count);
// A thread's part of a section that begins behind the array's begin.  ompls_before: the pointer that part[0] is element
// `offset` of; ompls_hidden: the same pointer, of which no compiler knows what it points to.
template <typename T> static __device__ T *ompls_before(T *part, long offset);
template <typename T> static __device__ T *ompls_hidden(T *part);
// `*target = *target OP value` atomically; returns the old value (`capture`).  Any scalar T of 1, 2, 4 or 8 bytes; the
// value converts to it as in C.
template <class Op, typename T> static __device__ T ompls_atomic(T *target, ompls_converted<T> value);
template <typename T> static __device__ T ompls_atomic_read(const T *target);
template <typename T> static __device__ void ompls_atomic_write(T *target, ompls_converted<T> value);
template <typename T> static __device__ T ompls_atomic_exchange(T *target, ompls_converted<T> value);
// `*target = update(*target)` atomically for any pure `update`; returns the old value: ompls_atomic_update(&x, [=](T v)
// { return …; }).  Also the way to `atomic compare`.
template <typename T, class F> static __device__ T ompls_atomic_update(T *target, F update);
// --- critical ---------------------------------------------------------------------------------------------------
// ompls_critical(&lock, [&] { … }) without warp deadlock.  `lock` is a zero-initialised __device__ int.
template <class F> static __device__ void ompls_critical(int *lock, F body);

// --- C that is not C++ ------------------------------------------------------------------------------------------
// `count` objects on the device's heap until the end of the block: `begin` points to the first.  For arrays of variable
// length (ompls_stack: for alloca), and for what other threads reach by its address.
template <typename T> struct ompls_room;
struct ompls_stack;
// `float _Complex` and `double _Complex` (ompls_complex.cuh), _Bool where `bool` is a name of the program's, and typeof.
template <typename T> struct ompls_complex; // #define ompls_typeof(expression); typedef bool ompls_bool
// GNU C's __builtin_bswap* and __builtin_*_overflow (true: the result does not fit).
template <typename T> static __device__ T ompls_bswap(T value); // ompls_add_overflow, ompls_sub_overflow, ompls_mul_overflow
// Its __atomic_* and __sync_*, on objects that the league shares; `order` as C numbers them.  In their order: fetch_OP,
// OP_fetch, exchange, load, store, compare_exchange; val_compare_and_swap, bool_compare_and_swap; thread_fence.
//   ompls_fetch_op<Op>, ompls_op_fetch<Op>, ompls_exchange, ompls_load, ompls_store, ompls_compare_exchange;
//   ompls_swap_if, ompls_swapped; ompls_fence
// A call through a pointer to a function whose C type is another one's: ompls_across<R>(f, arguments).
// OpenMP's allocators are numbers; those of omp_init_allocator begin at OMPLS_ALLOCATOR (ompls_allocator, ompls_handle).

// The bodies; omp_get_thread_num() and the other omp_* routines that may be called in a region are in ompls_team.cuh.
#include "ompls_team.cuh"
#include "ompls_loops.cuh"
#include "ompls_atomic.cuh"
#include "ompls_library.cuh"
#include "ompls_reduce.cuh"
#include "ompls_c.cuh"

// --- what generated code is written in --------------------------------------------------------------------------
// A parallel region's body as a lambda: the closure goes to shared memory, where the workers find it.
// What it has of values nobody changes.  A small one is copied to each thread: else a store of the body's might be to
// it, and all would be read again in each turn of a loop.
template <class F> static __device__ void ompls_call(void *closure)
{
    if (sizeof(F) > 128) return (*(F *)closure)();
    const F mine = *(F *)closure;
    mine();
}
template <class F> static __device__ void ompls_parallel_region(F body, int num_threads) {
#ifdef OMPLS_SIM_FAST
    if (ompls_team_size(num_threads) == 1) { // its one thread is here: short loops are worth a copy of their own
        ompls_set_depth(ompls_depth() + 1);
        body();
        ompls_set_depth(ompls_depth() - 1);
        return;
    }
#endif
    void *closure = ompls_push_shmem(&body, sizeof body);
    ompls_parallel(ompls_call<F>, closure, num_threads);
    ompls_pop_shmem(&body, sizeof body);
}
// A firstprivate array: as a parameter of its own type it would be a pointer.
template <typename T, unsigned long N> struct ompls_array { T v[N]; };
