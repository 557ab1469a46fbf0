/* machine.h -- what board.c and machine.c ask of Linux: the emulated board is a program of 32 bits without a C library. */
#ifndef OMPLS_EPIPHANY_MACHINE_H
#define OMPLS_EPIPHANY_MACHINE_H
#include "chip.h"

enum { /* of i386 (arch/x86/entry/syscalls/syscall_32.tbl) */
    EXIT = 1, FORK = 2, OPEN = 5, CLOSE = 6, WAITPID = 7, GETPID = 20, KILL = 37, DUP2 = 63, GETPPID = 64, MUNMAP = 91, CLONE = 120,
    MPROTECT = 125, YIELD = 158, POLL = 168, PRCTL = 172, SIGACTION = 174, SIGALTSTACK = 186, MMAP = 192, FUTEX = 240, EXIT_ALL = 252, CLOCK_GETTIME = 265,
    PIDFD_OPEN = 434, CLOSE_RANGE = 436
};

int board_call(int number, uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f);
void board_wait(const word *at, uint32_t value, uint32_t milliseconds);
void board_wake(const word *at);

/* races.c, in a board that is built for checks; else they are 0 */
void races_begin(void) __attribute__((weak));
void races_start(uint32_t core) __attribute__((weak));
void races_forget(uint32_t core) __attribute__((weak));
void races_reach(const volatile uint8_t *marks) __attribute__((weak));
void races_lock(void) __attribute__((weak));
void races_unlock(const word *l) __attribute__((weak));
#endif
