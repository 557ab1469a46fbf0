/* board.h -- what the program (module/epiphany.c) and the chip share: the memory map, and the control area.

   Addresses are those of a Parallella: core (r, c) has its 32 KiB at ((32 + r) * 64 + 8 + c) << 20, the external memory of 32 MiB
   begins at 0x8e000000.  Both sides see the same bytes.  The first 4 KiB of the external memory are the control area: the chip's
   geometry, and a slot for each core, through which the program starts it and learns that it has ended, and through which a
   core asks for others. */
#ifndef OMPLS_EPIPHANY_BOARD_H
#define OMPLS_EPIPHANY_BOARD_H
#include <stdint.h>

enum {
    EPI_MOST = 64, /* cores, of an Epiphany-64 */
    EPI_LOCAL = 32 << 10,
    EPI_CODE = 0x100,   /* where it begins: vectors and what the SDK keeps lie before it */
    EPI_BLOCK = 0x7b80, /* the run time's own data (`core` of chip.h); the stack grows down from it */
    EPI_STACK = 2048,   /* that a kernel has at least */
};

#define EPI_EXTERNAL 0x8e000000u
#define EPI_EXTERNAL_SIZE (32u << 20)
#define EPI_PARAMETERS (EPI_EXTERNAL + 0x1000u) /* a page for each core's kernel */
#define EPI_FINDINGS (EPI_EXTERNAL + 0x4f000u)  /* what checks have found (races.c) */
#define EPI_POOL (EPI_EXTERNAL + 0x50000u)      /* what kernels allocate: tasks and copies */
#define EPI_POOL_SIZE 0xb0000u
#define EPI_DATA (EPI_EXTERNAL + 0x100000u) /* variables of the image, and behind them what the program allocates */
#define EPI_WORDS 0x1000u /* of these, on a real board, for the words that all kernels share */

typedef struct {
    uint32_t rows, columns, first, filled; /* the id of core (0, 0); those of a row follow each other, a row further down adds 64 */
} epi_geometry;

static inline uint32_t epi_cores(const epi_geometry *g) {
    return g->rows * g->columns;
}

static inline uint32_t epi_id(const epi_geometry *g, uint32_t n) {
    return g->first + n / g->columns * 64 + n % g->columns;
}

static inline uint32_t epi_address(const epi_geometry *g, uint32_t n) {
    return epi_id(g, n) << 20;
}

/* Before the addresses of a kernel's parameters: what a core copies into its own memory before the kernel, and out of it. */
typedef struct {
    uint32_t here, there, size, back; /* addresses; 1: it goes back */
} epi_section;

typedef struct {
    uint32_t number, sections; /* how many, and where they are */
    uint32_t filled[2];
} epi_parameters;

/* A kernel is done when its first core says so.  The others of a team say nothing: their master does when all of them have left, that is
   when none of them touches another's memory any more (EPI_LEFT, or that it asks for the next one), and then they are free. */
enum { EPI_IDLE, EPI_START, EPI_RUNNING, EPI_DONE, EPI_FAULT };
#define EPI_LEFT (~0u)
enum { EPI_READ = 1, EPI_WROTE, EPI_OVERFLOW /* its stack has reached its code */, EPI_SIGNAL /* from another process: it was ended or stopped */, EPI_CUT /* a number that does not fit a core's `long` */ };

typedef struct {
    volatile uint32_t status; /* a futex of the emulated board */
    uint32_t entry, argument; /* a function on the chip, and what it gets */
    uint32_t code;            /* where the kernel's code ends in local memory */
    volatile uint32_t wanted, granted;   /* cores that it asks for, or EPI_LEFT; a number that grows with each answer */
    uint32_t apart, other;               /* 1: masters of teams; the function that those begin with */
    uint32_t given[EPI_MOST / 32];       /* the answer: a bit for each core */
    uint32_t fault, address, place, why; /* EPI_READ and so on; of what; where in the image; the signal */
} epi_slot;

typedef struct {
    uint32_t process; /* of the emulated board, 0 before it runs */
    int32_t failed;
    volatile uint32_t board, host;           /* futexes: something is to be done there */
    volatile uint32_t reset[EPI_MOST / 32];  /* a bit for each core that shall be started anew */
    uint32_t cancellation, filled; /* OMP_CANCELLATION is true */
    epi_geometry geometry;
    epi_slot slots[EPI_MOST];
    volatile uint8_t marks[EPI_MOST]; /* of each core's fences (locks.c) */
} epi_control;

/* A core has read or written what another one wrote, before that is known to have arrived; or written what may not have been read. */
typedef struct {
    uint32_t core, other, address, wrote; /* 1: it wrote it, 0: it read it, 2: it wrote what the other one has read */
    uint32_t place, other_place;          /* in the image, where the next instruction is */
} epi_finding;

typedef struct {
    volatile uint32_t number;
    uint32_t remote, dependent; /* writes of cores to others' memories; how many of them, at most, had to wait for each other */
    uint32_t fences;            /* of `flush` and of atomics */
    epi_finding of[64];
} epi_findings;

/* A compiler for the chip aligns structures to eight bytes. */
_Static_assert(sizeof(epi_slot) == 56 && __builtin_offsetof(epi_control, slots) == 48, "both sides see the same bytes");
_Static_assert(sizeof(epi_control) <= 4096, "the control area has 4 KiB");
#endif
