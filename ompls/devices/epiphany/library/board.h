/* board.h -- what the program (module/epiphany.c) and the chip share: the memory map, and the control area.

   Addresses are those of a Parallella: core (r, c) has its 32 KiB at ((32 + r) * 64 + 8 + c) << 20, the external memory of 32 MiB
   begins at 0x8e000000.  Both sides see the same bytes.  The first 4 KiB of the external memory are the control area: a slot for
   each core, through which the program starts it and learns that it has ended, and through which a core asks for others. */
#ifndef OMPLS_EPIPHANY_BOARD_H
#define OMPLS_EPIPHANY_BOARD_H
#include <stdint.h>

enum { EPI_ROWS = 4, EPI_COLUMNS = 4, EPI_CORES = EPI_ROWS * EPI_COLUMNS, EPI_LOCAL = 32 << 10 };

#define EPI_EXTERNAL 0x8e000000u
#define EPI_EXTERNAL_SIZE (32u << 20)
#define EPI_PARAMETERS (EPI_EXTERNAL + 0x1000u) /* a page for each core's kernel */
#define EPI_POOL (EPI_EXTERNAL + 0x20000u)      /* what kernels allocate: tasks and copies */
#define EPI_POOL_SIZE 0xe0000u
#define EPI_DATA (EPI_EXTERNAL + 0x100000u) /* variables of the image, and behind them what the program allocates */
#define EPI_CORE_ID(n) ((uint32_t)((32 + (n) / EPI_COLUMNS) * 64 + 8 + (n) % EPI_COLUMNS))
#define EPI_CORE(n) (EPI_CORE_ID(n) << 20)

enum { EPI_IDLE, EPI_START, EPI_RUNNING, EPI_DONE, EPI_FAULT };
enum { EPI_KERNEL, EPI_MEMBER };

typedef struct {
    volatile uint32_t status;          /* a futex of the emulated board */
    uint32_t role, entry, argument;
    volatile uint32_t wanted, granted; /* cores that its kernel asks for; a number that grows with each answer */
    uint32_t apart;                    /* 1: masters of teams */
    uint32_t given, cores[EPI_CORES];  /* the answer */
    uint32_t fault, address, place, why; /* 1: read, 2: write; of what; where in the image; the signal */
} epi_slot;

typedef struct {
    uint32_t process; /* of the emulated board, 0 before it runs */
    int32_t failed;
    volatile uint32_t board, host; /* futexes: something is to be done there */
    volatile uint32_t reset;       /* a bit for each core that shall be started anew */
    epi_slot slots[EPI_CORES];
} epi_control;

_Static_assert(sizeof(epi_control) <= 4096, "the control area has 4 KiB");
#endif
