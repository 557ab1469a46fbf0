/* posted.c -- a core's first loop (ecore.c) where writes to external memory arrive late: it ends with how often one start was served.

   The control area is protected: each access to it is a fault and one single step, after which it is protected again.  What was written is put
   back to what was there before, until the core has looked three times more: so a read overtakes a write, as on the chip. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define _Static_assert(...) /* a core's block is larger here: pointers have eight bytes */
#include "ecore.c"

enum { PAGE = 4096, CORE = 0x80800000, LATE = 3, LOOKS = 50, WRITES = 2 /* of a fault's error */, STEP = 0x100 /* of the flags */ };

static int served, looks, late;
static uint32_t before, posted;

void serve(core *c) {
    served++;
    slot_of(c)->status = EPI_DONE;
}

static volatile uint32_t *status(void) {
    return &control()->slots[0].status;
}

static void allow(int access) {
    if (mprotect(control(), PAGE, access) != 0) _exit(100);
}

static void touched(int signal, siginfo_t *of, void *context) {
    (void)signal;
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    if ((uintptr_t)of->si_addr / PAGE != EPI_EXTERNAL / PAGE) _exit(101);
    allow(PROT_READ | PROT_WRITE);
    if (late > 0 && --late == 0) *status() = posted;
    before = *status();
    if ((registers[REG_ERR] & WRITES) == 0 && served > 0 && ++looks == LOOKS) _exit(served);
    registers[REG_EFL] |= STEP;
}

static void stepped(int signal, siginfo_t *of, void *context) {
    (void)signal, (void)of;
    if (*status() != before) posted = *status(), *status() = before, late = LATE + 1;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~STEP;
    allow(PROT_NONE);
}

static void *begin(void *nothing) {
    chip_begin();
    return nothing;
}

int main(void) {
    const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    char *memory = mmap((void *)CORE, 2 * EPI_LOCAL, PROT_READ | PROT_WRITE, how, -1, 0);
    if (memory == MAP_FAILED || mmap(control(), PAGE, PROT_READ | PROT_WRITE, how, -1, 0) == MAP_FAILED) return 102;
    control()->geometry = (epi_geometry){.rows = 1, .columns = 1, .first = (unsigned)CORE >> 20};
    *status() = EPI_START;
    sigaction(SIGSEGV, &(struct sigaction){.sa_sigaction = touched, .sa_flags = SA_SIGINFO}, NULL);
    sigaction(SIGTRAP, &(struct sigaction){.sa_sigaction = stepped, .sa_flags = SA_SIGINFO}, NULL);
    pthread_attr_t stack;
    pthread_t thread;
    if (pthread_attr_init(&stack) != 0 || pthread_attr_setstack(&stack, memory, EPI_BLOCK & ~15) != 0) return 103;
    allow(PROT_NONE);
    return pthread_create(&thread, &stack, begin, NULL) != 0 ? 104 : pthread_join(thread, NULL);
}
