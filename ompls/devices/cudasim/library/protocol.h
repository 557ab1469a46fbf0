/* protocol.h -- what the device module (ompls/devices/cudasim/module/cudasim.c, in the user's program) and the device process share.

   One command at a time: the host fills the page, raises `request` and waits on `event`; the process raises `reply` to
   the same number.  What kernels print comes back through `output`, so that the host's stdio keeps the order.

   Addresses.  Nothing of the process may lie where something of the host can: a host pointer in a kernel has to fault.
   So the image is linked at SIM_IMAGE_BASE, memory comes from the arena at SIM_ARENA_BASE + index * SIM_ARENA_STRIDE, and
   stacks and the like from SIM_INTERNAL_BASE; the host reserves these ranges. */
#ifndef OMPLS_SIM_PROTOCOL_H
#define OMPLS_SIM_PROTOCOL_H
#include <stdint.h>

#define SIM_IMAGE_BASE 0x60000000ull /* also in ompls/devices/cudasim/module */
#define SIM_IMAGE_SIZE 0x48000000ull /* with the heap behind it, which the kernel moves by up to 1 GiB */
#if defined(__aarch64__) /* 39 bits on a Jetson */
#define SIM_ARENA_BASE 0x2000000000ull
#define SIM_STATES_BASE 0x1c00000000ull
#define SIM_ARENA_STRIDE (8ull << 30)
#define SIM_MAX_DEVICES 8
#else
#define SIM_ARENA_BASE 0x2a0000000000ull
#define SIM_STATES_BASE 0x280000000000ull
#define SIM_ARENA_STRIDE (1ull << 40)
#define SIM_MAX_DEVICES 16
#endif
#define SIM_INTERNAL_BASE (SIM_ARENA_BASE + SIM_MAX_DEVICES * SIM_ARENA_STRIDE)
#define SIM_INTERNAL_SIZE (64ull << 30)

/* The limits of all architectures (CUDA programming guide, table of technical specifications per compute capability);
   those that differ are symbols of the image: ompls/devices/cudasim/module. */
enum {
    SIM_MAX_THREADS = 1024,
    SIM_MAX_BLOCK_Z = 64,
    SIM_MAX_PARAM_BYTES = 32764,
    SIM_MAX_PARAMS = 512
};
/* What an image is compiled for, when nothing is said: threads of a warp that are scheduled one by one, as from sm_70.
   Of the library only sources that use these words themselves are compiled for an architecture: no header but prelude.h does. */
#ifndef SIM_ARCH
#define SIM_ARCH 70
#endif
#ifndef SIM_MAX_SHARED
#define SIM_MAX_SHARED 49152 /* bytes a block */
#endif

/* Where an image for debuggers lies: host/imagefile.c. */
#define SIM_IMAGE_FILE "cudasim-image"
#define SIM_LOCK_FILE "ompls.lock" /* runtime/scratch.py */

enum {
    SIM_LAUNCH = 1,
    SIM_READ,
    SIM_WRITE,
    SIM_NOTHING,
    SIM_SHARE, /* the host's memory; `address`: of some byte of it */
    SIM_LAUNCH_ALL /* `length` kernels, which stand as sim_queued at `address`, one after the other */
};
enum { SIM_OK = 0, SIM_REFUSED, SIM_FAILED /* the process is gone */ };

/* --- checks (library/checks) ------------------------------------------------------------------------------- */

/* What OMPLS_CHECK asks for.  Only images that were built for checks (symbol ompls_sim_checks) can do it. */
enum { SIM_CHECK_RACES = 1, SIM_CHECK_UNINIT = 2, SIM_CHECK_MEMORY = 4, SIM_CHECK_COALESCING = 8, SIM_CHECK_BANKS = 16 };

/* The state of a byte of the arena, mapped at SIM_STATES_BASE in the process. */
enum { SIM_STATE_NONE, SIM_STATE_FREED, SIM_STATE_LEFT_OUT /* allocated, but in no list item */, SIM_STATE_ALLOCATED, SIM_STATE_WRITTEN };

enum { SIM_FOUND_RACE, SIM_FOUND_UNINIT, SIM_FOUND_LOCAL, SIM_FOUND_COALESCING, SIM_FOUND_BANKS };
enum { SIM_FINDING_WRITE = 1, SIM_FINDING_ATOMIC = 2, SIM_FINDING_OTHER_WRITE = 4, SIM_FINDING_OTHER_ATOMIC = 8 };
enum { SIM_MAX_FINDINGS = 64 };

typedef struct {
    uint32_t kind, flags;
    uint64_t address;
    uint32_t size;
    uint32_t pc, other_pc; /* of a race the earlier access */
    uint32_t block, thread, other_block, other_thread;
    double figure;   /* how many times more than needed */
    uint32_t shared; /* 1 + the offset in a block's shared memory, 0: global memory or a variable of the image */
} sim_finding;

typedef struct {
    uint64_t offset, size; /* in the arena */
    uint32_t accessible;
} sim_protection;

/* A kernel as the image holds it: the symbol ompls_sim_kernel_NAME. */
typedef struct {
    void (*run)(void *const *params); /* runs threads of the current block until none is left to start */
    uint32_t nparams;
    const uint32_t *sizes;
    const uint32_t *alignments; /* of what a pointer points to, 0: not a pointer */
} sim_kernel;

/* A kernel to run, with its parameters behind it, each where sim_place says.  `size`: of all of it. */
typedef struct {
    uint64_t size, kernel;
    uint32_t grid[3], block[3], nparams, bytes;
} sim_queued;

/* Where a parameter of that size begins, after `used` bytes of others. */
static inline uint64_t sim_place(uint64_t used, uint64_t size) {
    uint64_t to = size >= 16 ? 16 : 8;
    return (used + to - 1) / to * to;
}

typedef struct {
    uint32_t process; /* the number of the device process, 0 until there is one; else why not, an errno: */
    int32_t failed;
    char image_directory[1024]; /* "" when the image has no name */
    uint32_t request, reply, event; /* futexes */
    uint32_t taken; /* the request that the process has begun with */
    uint32_t command;
    uint32_t status;
    char reason[448];
    uint64_t pc; /* where it happened, 0 unknown */
    int32_t fault; /* as in ompls_error */
    uint64_t fault_address;

    uint32_t nprotections; /* to apply before the command */
    sim_protection protections[256];

    uint64_t kernel; /* address of its sim_kernel */
    uint32_t grid[3], block[3], dynamic_shared, static_shared;
    uint32_t nparams;
    uint32_t offsets[SIM_MAX_PARAMS], sizes[SIM_MAX_PARAMS];
    char params[SIM_MAX_PARAM_BYTES + 4] __attribute__((aligned(16)));

    uint32_t checks, nfindings; /* of this launch */
    sim_finding findings[SIM_MAX_FINDINGS];

    uint64_t address, length; /* SIM_READ, SIM_WRITE, SIM_LAUNCH_ALL */
    uint32_t begun;           /* SIM_LAUNCH_ALL: the number of the kernel that runs, or ran last */
    char staging[65536];

    uint32_t written, drained; /* of output, free-running; `drained` is a futex */
    char output[65536];
} sim_control;
#endif
