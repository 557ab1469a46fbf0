// engine.h -- a CUDA block on one CPU core: its threads are lazy fibres.
//
// A kernel's threads run one after another on one stack; only when a thread has to wait does the next one get a stack of
// its own.  So a kernel without barriers is a plain loop over its threads, inlined, and one with barriers switches stacks.
// Each core ("worker") runs whole blocks.  Everything here belongs to the worker that runs the block.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct uint3 { unsigned x, y, z; };
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};

// What a thread sees: CUDA's special registers, and what is left of the block.
struct ompls_sim_block {
    uint3 thread; // threadIdx
    uint3 block;  // blockIdx
    uint3 block_dim, grid_dim;
    unsigned count;  // threads of the block
    unsigned next;   // the first that has not started
    unsigned linear; // the current thread's number, once `waited` is set; before, it is next - 1
    bool waited;     // some thread of the block had to wait: the engine keeps track of all
    unsigned failed_swaps;
};
extern __thread ompls_sim_block ompls_sim_current;

inline unsigned ompls_sim_linear()
{
    return ompls_sim_current.waited ? ompls_sim_current.linear : ompls_sim_current.next - 1;
}

// A thread has returned from the kernel.  True: `ompls_sim_current` is another one, to be run on this stack.
bool ompls_sim_exited();

// Run `body` for the current thread and then for others, until none is left to be started on this stack.  A row of
// threads (along x) in which none waits is a loop without a call: what is the same for all of them is computed once.
template <class F> inline __attribute__((always_inline)) void ompls_sim_threads(F body)
{
    ompls_sim_block &b = ompls_sim_current;
    do {
        unsigned x = b.thread.x, next = b.next;
        for (;;) {
            body();
            if (b.waited || ++x == b.block_dim.x) break;
            b.thread.x = x;
            b.next = ++next;
        }
    } while (ompls_sim_exited());
}

// --- waiting ----------------------------------------------------------------------------------------------------
// __syncthreads(): all threads of the block that have not exited.  `line`: lanes of a warp come from the same one.
void ompls_sim_syncthreads(unsigned line = __builtin_LINE());
unsigned ompls_sim_syncthreads_count(bool value, unsigned line); // how many of them came with true
// barrier.sync id, threads: from sm_70 lanes arrive one by one; before, bar.sync, at which warps arrive as a whole.
void ompls_sim_barrier(int id, int threads);
void ompls_sim_reconverge(); // before sm_70: where the lanes of a warp go on together after a branch
[[noreturn]] void ompls_sim_trap();                // __trap()
[[noreturn]] void ompls_sim_misaligned();          // an atomic operation
[[noreturn]] void ompls_sim_local_atomic();        // on a variable of one thread
[[noreturn]] void ompls_sim_wrong_width(int width); // of a shuffle
void ompls_sim_yield();                            // let others run
bool ompls_sim_on_stack(const volatile void *p);   // of the current thread

// Warp operations: every lane of `mask` calls it, with the same kind and mask.
enum ompls_sim_operation { OMPLS_SIM_SYNC, OMPLS_SIM_SHUFFLE, OMPLS_SIM_BALLOT, OMPLS_SIM_MATCH };
// SHUFFLE: the value of lane `source`; BALLOT: lanes with a non-zero value; MATCH: lanes with the same value.
uint64_t ompls_sim_warp(ompls_sim_operation operation, unsigned mask, uint64_t value, int source);

// --- running ----------------------------------------------------------------------------------------------------
struct ompls_sim_launch {
    void (*run)(void *const *params);
    void *const *params;
    uint3 grid, block;
};
// Run block number `index` (x fastest) of the launch on the calling worker.
void ompls_sim_run_block(const ompls_sim_launch &launch, uint64_t index);

// Go on in `entry`, which does not return, on the stack that ends at `top`; the present stack may then be unmapped.
void ompls_sim_leave_stack(char *top, void (*entry)());

// --- the process around it (process.cpp, channel.cpp) -----------------------------------------------------------
// End the kernel and the device process with a message; `pc` is where (0 unknown).
[[noreturn]] void ompls_sim_fail(const void *pc, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The same for an access to memory: what and where stands in the control page already.
[[noreturn]] void ompls_sim_fault(const void *pc, const char *format, ...) __attribute__((format(printf, 2, 3)));
int ompls_sim_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Memory where no host pointer can be; the last page below it is a guard.  Fails the process when there is none.
char *ompls_sim_map(size_t size);
double ompls_sim_seconds();
long long ompls_sim_clock();
// The heap of kernels (heap.cpp): its size, malloc, free.
void ompls_sim_heap_size(const char *mebibytes);
void *ompls_sim_heap_take(size_t bytes);
void ompls_sim_heap_give(void *memory);
[[noreturn]] void ompls_sim_assert_failed(const char *expression, const char *file, unsigned line, const char *function);
// Dynamic shared memory: every `extern __shared__` array of a kernel is this one (ompls/devices/cudasim/module renames them).
extern __thread char ompls_sim_dynamic_shared[];
