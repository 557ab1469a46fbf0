// Teams and threads: the master/worker scheme, the shared-memory stack, barriers, and the omp_* routines of a region.
//
// The scheme (generic kernels): a block of 128 threads, three warps of workers (0-95) and the master's warp (thread 96 is
// the master).  Workers wait at barrier B1 until the master has registered an outlined function, run it if their number
// is below the team's size, and meet the master again at B2.
//
// Two hardware families want two treatments of lanes that have nothing to do:
//  * before sm_70 a warp arrives at a barrier as a whole as soon as any of its lanes does ("Barriers are executed on a
//    per-warp basis as if all the threads in a warp are active", PTX ISA, "bar"), so idle lanes must stay away: the
//    master's 31 companions leave the kernel at once, and workers beyond the team's size wait for their warp to
//    reconverge.  Newer manuals ask for convergence of all lanes of the warp there; a region that is not run by whole
//    warps has what the older ones promise, and lanes that diverge in the user's code keep OpenMP's rule that all
//    threads of a team meet the same barriers;
//  * from sm_70 lanes arrive one by one, a count must be a multiple of the warp size, and no lane of a participating warp
//    may be missing: idle lanes execute the same sequence of barriers as the team, whose length they cannot know
//    beforehand.  Thread 0 therefore writes the number of the region's last barrier just before it arrives at it.
//
// Every wait here is at a barrier: no thread reads a flag again and again until another lane of its warp, which may never
// run before sm_70, has written it.  Nor does one anywhere in this library, but for locks (ompls_once_taken).
#pragma once

// cudasim without its checks: threads of a block run on one core, and never at once.
#if defined(OMPLS_CUDASIM) && !defined(OMPLS_SIM_CHECK)
#define OMPLS_SIM_FAST
#endif

// Where ids and barriers come from: PTX on a GPU, the engine in cudasim.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
#define OMPLS_LANES_INDEPENDENT 1
#else
#define OMPLS_LANES_INDEPENDENT 0
#endif
#ifdef OMPLS_CUDASIM
static __device__ inline void ompls_named_barrier(int id, int threads) { ompls_sim_barrier(id, threads); }
static __device__ inline void ompls_reconverge() { ompls_sim_reconverge(); }
static __device__ inline double ompls_seconds() { return ompls_sim_seconds(); }
#else
// The compiler sees to it: lanes that a branch parted meet where its ways do, before what follows (in machine code for
// sm_53 an SSY before the branch and a SYNC before barrier B2).
static __device__ inline void ompls_reconverge() {}
#if OMPLS_LANES_INDEPENDENT
static __device__ inline void ompls_named_barrier(int id, int threads)
{
    asm volatile("barrier.sync %0, %1;" : : "r"(id), "r"(threads) : "memory"); // not .aligned: lanes may diverge
}
#else
static __device__ inline void ompls_named_barrier(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" : : "r"(id), "r"(threads) : "memory");
}
#endif
static __device__ inline double ompls_seconds()
{
    unsigned long long nanoseconds;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
    return nanoseconds * 1e-9;
}
#endif

// The thread's number in its team and the team's in the league; x is fastest, so 32 neighbours are a warp (CUDA
// programming guide, "thread hierarchy").
#ifdef OMPLS_GRID
static __device__ inline unsigned ompls_thread() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
static __device__ inline unsigned ompls_threads() { return blockDim.x * blockDim.y * blockDim.z; }
static __device__ inline unsigned ompls_team_number() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
static __device__ inline unsigned ompls_teams() { return gridDim.x * gridDim.y * gridDim.z; }
#else
static __device__ inline unsigned ompls_thread() { return threadIdx.x; }
static __device__ inline unsigned ompls_threads() { return blockDim.x; }
static __device__ inline unsigned ompls_team_number() { return blockIdx.x; }
static __device__ inline unsigned ompls_teams() { return gridDim.x; }
#endif

enum {
    OMPLS_WARP = 32,
    OMPLS_WORKERS = 96,
    OMPLS_MASTER = OMPLS_WORKERS, // the master's number in the block
    OMPLS_BLOCK = OMPLS_WORKERS + OMPLS_WARP,
    OMPLS_BARRIER_START = 1, // B1: a parallel region is registered
    OMPLS_BARRIER_END = 2,   // B2: all workers are done with it
    OMPLS_BARRIER_TEAM = 3   // inside a region
};
#ifndef OMPLS_SHMEM_STACK
#define OMPLS_SHMEM_STACK 8192 // bytes; a variable beyond it lives on the device's heap
#endif

// What the threads of a generic block share.
struct ompls_team_state {
    void (*function)(void *);
    void *vars;
    int threads;           // of the registered region; 0: the kernel is over
    int limit;             // thread_limit
    int wanted;            // for regions without num_threads: what omp_set_num_threads said, else as many as may be
    int barriers;          // how many team barriers thread 0 has reached in this region
    volatile int last;     // the number of the region's last barrier, 0 while it is not known
    unsigned long top;     // of the stack
    alignas(16) char stack[OMPLS_SHMEM_STACK];
};
static __shared__ ompls_team_state ompls_shared;
// How many nested parallel regions (teams of one) each thread is in; files without them have no such table.
#ifdef OMPLS_NESTED
static __shared__ unsigned char ompls_depth_of[1024];
static __device__ inline int ompls_depth() { return ompls_depth_of[ompls_thread()]; }
static __device__ inline void ompls_set_depth(int depth) { ompls_depth_of[ompls_thread()] = depth; }
#else
static __device__ inline int ompls_depth() { return 0; }
static __device__ inline void ompls_set_depth(int) {}
#endif

static __device__ inline int ompls_whole_warps(int threads) { return (unsigned(threads) + OMPLS_WARP - 1) / OMPLS_WARP * OMPLS_WARP; }

// The team that the calling thread belongs to: in a nested region, or on the master outside a region, itself alone.
static __device__ inline bool ompls_alone()
{
    return ompls_depth() > 0 || (OMPLS_IS_GENERIC && threadIdx.x >= OMPLS_MASTER);
}

// --- SPMD and the master/worker scheme --------------------------------------------------------------------------

static __device__ inline void ompls_spmd_begin() { ompls_set_depth(0); }

// One worker's part of the registered region; `threads` is the team's size.
static __device__ inline void ompls_work(int me, int threads)
{
    const int partial = threads % OMPLS_WARP; // lanes of the last warp that belong to the team
    if (me < threads) {
        ompls_shared.function(ompls_shared.vars);
        if (OMPLS_LANES_INDEPENDENT && partial) {
            if (me == 0) ompls_shared.last = ompls_shared.barriers + 1;
            ompls_named_barrier(OMPLS_BARRIER_TEAM, ompls_whole_warps(threads));
        }
    } else if (OMPLS_LANES_INDEPENDENT && me < ompls_whole_warps(threads)) {
        int passed = 0; // a lane's progress of its own is what sm_70 brought; each turn ends at a barrier
        do {
            ompls_named_barrier(OMPLS_BARRIER_TEAM, ompls_whole_warps(threads));
            ++passed;
        } while (ompls_shared.last != passed);
    }
    ompls_reconverge();
}

template <bool generic> static __device__ bool ompls_target_begin(int limit)
{
    static_assert(generic, "a kernel with ompls_target_begin() defines OMPLS_GENERIC before it includes ompls_device.cuh");
    const int me = threadIdx.x;
    ompls_set_depth(0);
    if (me == OMPLS_MASTER) {
        ompls_shared.top = 0; // the workers see it after the next barrier
        ompls_shared.wanted = ompls_shared.limit = limit > 0 && limit < OMPLS_WORKERS ? limit : int(OMPLS_WORKERS);
        ompls_shared.threads = 1; // compilers may read it before they ask whether it counts
        return true;
    }
    if (!OMPLS_LANES_INDEPENDENT && me > OMPLS_MASTER) return false;
    for (;;) { // whole warps come here, together: all lanes read the same number, and ompls_work lets none go ahead
        ompls_named_barrier(OMPLS_BARRIER_START, OMPLS_BLOCK);
        const int threads = ompls_shared.threads;
        if (threads == 0) return false;
        if (me < OMPLS_WORKERS) ompls_work(me, threads);
        ompls_named_barrier(OMPLS_BARRIER_END, OMPLS_BLOCK);
    }
}

static __device__ inline void ompls_target_end()
{
    ompls_shared.threads = 0;
    ompls_named_barrier(OMPLS_BARRIER_START, OMPLS_BLOCK);
}

// How many threads a parallel region gets that asks for `num_threads`, where the calling thread comes to it.
static __device__ inline int ompls_team_size(int num_threads)
{
    if (!OMPLS_IS_GENERIC || threadIdx.x != OMPLS_MASTER || ompls_depth() > 0) return 1;
    if (num_threads <= 0) num_threads = ompls_shared.wanted;
    return num_threads < ompls_shared.limit ? num_threads : ompls_shared.limit;
}

template <bool nested> static __device__ void ompls_parallel(void (*fn)(void *), void *vars, int num_threads)
{
    static_assert(nested, "an SPMD kernel with nested parallel regions defines OMPLS_NESTED before ompls_device.cuh");
    num_threads = ompls_team_size(num_threads);
    if (num_threads == 1) {
        ompls_set_depth(ompls_depth() + 1);
        fn(vars);
        ompls_set_depth(ompls_depth() - 1);
        return;
    }
    ompls_shared.function = fn;
    ompls_shared.vars = vars;
    ompls_shared.threads = num_threads;
    ompls_shared.barriers = 0;
    ompls_shared.last = 0;
    // The master is the only lane of its warp here, or (sm_70) all its lanes come: nobody waits for a lane beside it.
    ompls_named_barrier(OMPLS_BARRIER_START, OMPLS_BLOCK);
    ompls_named_barrier(OMPLS_BARRIER_END, OMPLS_BLOCK);
}

// For a loop of `count` iterations: no more warps than have work; on cudasim, where it takes microseconds to call the
// workers and they share a core, none of them for a short loop.  0: as many as there may be.
template <typename T> static __device__ int ompls_threads_for(T count)
{
    if (!OMPLS_IS_GENERIC || threadIdx.x != OMPLS_MASTER) return 0;
#ifdef OMPLS_SIM_FAST
    return count < T(OMPLS_WORKERS * 128) ? 1 : 0;
#else
    if (count >= T(OMPLS_WORKERS * OMPLS_WARP)) return 0;
    const int threads = count > 0 ? ompls_whole_warps(int(count)) : int(OMPLS_WARP);
    return threads < ompls_shared.wanted ? threads : 0;
#endif
}

static __device__ inline void ompls_barrier(OMPLS_SITE_PARAMETER)
{
    if (ompls_alone()) return;
    if (OMPLS_IS_GENERIC) {
        if (threadIdx.x == 0) ++ompls_shared.barriers;
        ompls_named_barrier(OMPLS_BARRIER_TEAM, ompls_whole_warps(ompls_shared.threads));
    } else {
        __syncthreads(OMPLS_SITE);
    }
}

// --- the shared-memory stack ------------------------------------------------------------------------------------
// An entry is the variable, rounded up to 16 bytes, and above it 16 bytes that say where the variable is.

static __device__ inline void *ompls_push_shmem(const void *from, unsigned long size)
{
    if (!OMPLS_IS_GENERIC || threadIdx.x != OMPLS_MASTER) return const_cast<void *>(from); // runs in the caller: nothing to share
    const unsigned long rounded = (size + 15) / 16 * 16;
    const bool fits = rounded + 16 <= OMPLS_SHMEM_STACK - ompls_shared.top;
    if (!fits && OMPLS_SHMEM_STACK - ompls_shared.top < 16) {
        printf("ompls: the shared-memory stack is full: %lu bytes\n", ompls_shared.top);
        __trap();
    }
    char *at = fits ? ompls_shared.stack + ompls_shared.top : static_cast<char *>(malloc(rounded));
    if (at == nullptr) {
        printf("ompls: out of device heap for a shared variable of %lu bytes\n", size);
        __trap();
    }
    ompls_shared.top += fits ? rounded : 0;
    *reinterpret_cast<char **>(ompls_shared.stack + ompls_shared.top) = at;
    ompls_shared.top += 16;
    if (from != nullptr) memcpy(at, from, size);
    return at;
}

static __device__ inline void ompls_pop_shmem(void *to, unsigned long size)
{
    if (!OMPLS_IS_GENERIC || threadIdx.x != OMPLS_MASTER) return;
    ompls_shared.top -= 16;
    char *at = *reinterpret_cast<char **>(ompls_shared.stack + ompls_shared.top);
    if (to != nullptr) memcpy(to, at, size);
    if (at >= ompls_shared.stack && at < ompls_shared.stack + OMPLS_SHMEM_STACK)
        ompls_shared.top -= (size + 15) / 16 * 16;
    else
        free(at);
}

// --- the OpenMP API of a region (OpenMP 5.2, sections 18.2-18.4, 18.7, 18.10) -------------------------------------

static __device__ inline int omp_get_thread_num(void) { return ompls_alone() ? 0 : ompls_thread(); }
static __device__ inline int omp_get_num_threads(void)
{
    return ompls_alone() ? 1 : OMPLS_IS_GENERIC ? ompls_shared.threads : ompls_threads();
}
static __device__ inline int omp_get_team_num(void) { return ompls_team_number(); }
static __device__ inline int omp_get_num_teams(void) { return ompls_teams(); }
static __device__ inline int omp_is_initial_device(void) { return 0; }
static __device__ inline int omp_get_level(void)
{
    return ompls_depth() + (OMPLS_IS_SEQUENTIAL || (OMPLS_IS_GENERIC && threadIdx.x >= OMPLS_MASTER) ? 0 : 1);
}
// Active: of more than one thread.  A generic region of one thread runs on the master, so workers are always in one.
static __device__ inline int omp_get_active_level(void)
{
    return OMPLS_IS_GENERIC ? threadIdx.x < OMPLS_MASTER : ompls_threads() > 1;
}
static __device__ inline int omp_in_parallel(void) { return omp_get_active_level() > 0; }
static __device__ inline int omp_get_thread_limit(void)
{
    return OMPLS_IS_GENERIC ? ompls_shared.limit : OMPLS_IS_SEQUENTIAL ? OMPLS_SEQUENTIAL : ompls_threads();
}
static __device__ inline int omp_get_max_threads(void)
{
    return omp_get_level() > 0 ? 1 : OMPLS_IS_GENERIC ? ompls_shared.wanted : omp_get_thread_limit();
}
static __device__ inline int omp_get_num_procs(void) { return omp_get_thread_limit(); }
static __device__ inline int omp_get_max_active_levels(void) { return 1; }
static __device__ inline int omp_get_supported_active_levels(void) { return 1; }
static __device__ inline int omp_get_dynamic(void) { return 0; }
static __device__ inline int omp_get_nested(void) { return 0; }
static __device__ inline int omp_get_cancellation(void) { return 0; }
static __device__ inline int omp_get_team_size(int level)
{
    if (level < 0 || level > omp_get_level()) return -1;
    if (level != 1 || (OMPLS_IS_GENERIC && threadIdx.x >= OMPLS_MASTER)) return 1;
    return OMPLS_IS_GENERIC ? ompls_shared.threads : ompls_threads();
}
static __device__ inline int omp_get_ancestor_thread_num(int level)
{
    if (level < 0 || level > omp_get_level()) return -1;
    return level != 1 || (OMPLS_IS_GENERIC && threadIdx.x >= OMPLS_MASTER) ? 0 : ompls_thread();
}
static __device__ inline int omp_get_max_teams(void) { return 0; }         // no limit was set
static __device__ inline int omp_get_teams_thread_limit(void) { return 0; } // likewise
// Written by the device's module when it has loaded the image.  Weak: every kernel file of an image has it.
extern "C" {
__device__ __attribute__((weak)) int ompls_image_device_number;
}
static __device__ inline int omp_get_device_num(void) { return ompls_image_device_number; }
// What these answer inside a target region is unspecified; from here there is no further device.
static __device__ inline int omp_get_num_devices(void) { return 0; }
static __device__ inline int omp_get_default_device(void) { return -1; }
static __device__ inline int omp_get_initial_device(void) { return -1; }
static __device__ inline void omp_set_num_threads(int threads)
{
    if (!OMPLS_IS_GENERIC || omp_get_level() > 0) return; // nested regions have one thread
    if (threads > 0) ompls_shared.wanted = threads > ompls_shared.limit ? ompls_shared.limit : threads;
}
static __device__ inline void omp_set_dynamic(int) {}
static __device__ inline void omp_set_nested(int) {}
static __device__ inline double omp_get_wtime(void) { return ompls_seconds(); }
static __device__ inline double omp_get_wtick(void) { return 1e-9; }

// --- constructs that some threads of a team run -----------------------------------------------------------------

// Whether the calling thread runs section `k` of a `sections` construct.  Sections are dealt to different warps first:
// lanes of one warp would run them one after the other.
static __device__ inline bool ompls_runs_section(int k)
{
    const int threads = omp_get_num_threads(), warps = ompls_whole_warps(threads) / OMPLS_WARP;
    const int owner = k % warps * OMPLS_WARP + k / warps % OMPLS_WARP;
    return omp_get_thread_num() == (owner < threads ? owner : k % threads);
}

// `copyprivate`: thread 0's value of a private variable goes to all threads of the team; they all call it.
static __device__ inline void ompls_broadcast(void *value, unsigned long size)
{
    static __shared__ char message[128];
    if (omp_get_num_threads() == 1) return;
    char *const mine = static_cast<char *>(value);
    for (unsigned long done = 0; done < size; done += sizeof message) {
        const unsigned long n = size - done < sizeof message ? size - done : sizeof message;
        if (omp_get_thread_num() == 0) memcpy(message, mine + done, n);
        ompls_barrier();
        if (omp_get_thread_num() != 0) memcpy(mine + done, message, n);
        ompls_barrier();
    }
}

// `error at(execution)`: a GPU has no standard error of its own, so the message goes where printf goes.
static __device__ inline void ompls_error(bool fatal, const char *file, int line, const char *message)
{
    printf("%s:%d: %s: %s\n", file, line, fatal ? "error" : "warning", message);
    if (fatal) __trap();
}
