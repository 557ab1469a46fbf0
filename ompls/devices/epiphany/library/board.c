/* board.c -- the emulated board: a process whose cores are processes that share its memory, so each can be ended alone.

   The program starts it with descriptor 3, the memory of the whole board, and its own number as the argument; the
   board is not its child (see ompls/devices/cudasim/library/process.cpp), and ends when the program does.  Cores are the board's
   children: it asks a few times a second whether all of them are there. */
#include "machine.h"

enum { MEMORY = 3, HOST = 4, SIGNAL_STACK = 8192, SHARED = 0x100 | 0x200 | 0x400 /* CLONE_VM, _FS, _FILES */ };

static char signal_stacks[EPI_MOST][SIGNAL_STACK] __attribute__((aligned(16), section(".bss.board")));
static int processes[EPI_MOST], board_process; /* 0: it has ended */
static double stopped[EPI_MOST]; /* since when a signal has been seen to have stopped the core; 0: it runs */
static uint32_t guarded[EPI_MOST]; /* bytes of each core's memory that are the kernel's code */

/* What the kernel puts on the signal's stack (arch/x86/include/uapi/asm/sigcontext.h): words of the context, after 5 others. */
enum { CONTEXT = 5, BP = CONTEXT + 6, SP = CONTEXT + 7, TRAP = CONTEXT + 12, ERROR = CONTEXT + 13, IP = CONTEXT + 14 };

static void fail_core(epi_slot *slot) {
    __atomic_store_n(&slot->status, EPI_FAULT, __ATOMIC_SEQ_CST);
    chip_tell_host();
}

static void fault(int number, const uint32_t *information, const uint32_t *context) {
    uint32_t at = (uint32_t)__builtin_frame_address(0) - (uint32_t)signal_stacks;
    epi_slot *slot = &control()->slots[at / SIGNAL_STACK];
    const bool sent = (int32_t)information[2] <= 0; /* si_code: by a process, not by the core's own doing */
    slot->why = (uint32_t)number;
    slot->place = context[IP];
    slot->address = information[3];
    const uint32_t size = EPI_LOCAL / 2, own = epi_address(&control()->geometry, at / SIGNAL_STACK);
    const bool memory = number == 11 || number == 7, below = slot->address - own + size < EPI_BLOCK + size;
    const bool near = below && slot->address - context[SP] + 256 < size;
    slot->fault = sent                                                 ? EPI_SIGNAL
                  : !memory                                            ? 0
                  : near && context[SP] - own + size < EPI_BLOCK + size ? EPI_OVERFLOW
                  : context[TRAP] == 14 && (context[ERROR] & 2) != 0   ? EPI_WROTE
                                                                       : EPI_READ;
    fail_core(slot);
    for (;;) board_wait(&slot->status, EPI_FAULT, 1000); /* until it is reset */
}

static void catch_faults(uint32_t index) {
    static const int numbers[] = {4, 5, 7, 8, 11}; /* SIGILL, TRAP, BUS, FPE, SEGV */
    const uint32_t stack[3] = {(uint32_t)signal_stacks[index], 0, SIGNAL_STACK};
    const uint32_t action[5] = {(uint32_t)fault, 4 | 0x08000000 /* SA_SIGINFO, SA_ONSTACK */, 0, 0, 0};
    board_call(SIGALTSTACK, (uint32_t)stack, 0, 0, 0, 0, 0);
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) board_call(SIGACTION, (uint32_t)numbers[i], (uint32_t)action, 0, 8, 0, 0);
}

/* A kernel's code lies elsewhere here, but what would write over it on the chip faults. */
static void guard(uint32_t index, uint32_t code) {
    enum { PAGE = 4096, NONE = 0, READ_WRITE = 3 };
    const uint32_t here = epi_address(&control()->geometry, index);
    code &= ~(PAGE - 1u);
    if (code == guarded[index]) return;
    board_call(MPROTECT, here, guarded[index], READ_WRITE, 0, 0, 0);
    board_call(MPROTECT, here, code, NONE, 0, 0, 0);
    guarded[index] = code;
}

void board_core(uint32_t index);
void board_core(uint32_t index) {
    board_call(PRCTL, 1, 9, 0, 0, 0, 0); /* it ends with the board: PR_SET_PDEATHSIG */
    if (board_call(GETPPID, 0, 0, 0, 0, 0, 0) != board_process) board_call(EXIT, 0, 0, 0, 0, 0, 0); /* which ended before that */
    catch_faults(index);
    epi_slot *slot = &control()->slots[index];
    core *me = self();
    for (;;) {
        uint32_t status;
        me->resting = 1;
        while ((status = __atomic_load_n(&slot->status, __ATOMIC_SEQ_CST)) != EPI_START) board_wait(&slot->status, status, 1000);
        me->resting = 0;
        __atomic_store_n(&slot->status, EPI_RUNNING, __ATOMIC_SEQ_CST);
        guard(index, slot->code);
        if (races_start != 0) races_start(index);
        serve(me);
    }
}

/* A core that was ended; its block at the start is zeros, and may be in use before the core is. */
static void clear(uint32_t index) {
    const epi_geometry *g = &control()->geometry;
    core *c = core_at(epi_address(g, index)), *first = core_at(epi_address(g, 0));
    __builtin_memset(c, 0, __builtin_offsetof(core, index));
    c->index = index, c->first = epi_address(g, 0);
    for (int i = 0; i < LOCKS; i++) /* nobody else gives back what it had */
        if (first->locks[i] == epi_id(g, index)) first->locks[i] = 0;
}

/* The new core begins on the stack of its own memory. */
static int start_core(uint32_t index) {
    uint32_t *stack = (uint32_t *)(epi_address(&control()->geometry, index) + EPI_BLOCK - 16);
    int made;
    stack[0] = index;
    __asm__ volatile("int $0x80\n\ttestl %%eax, %%eax\n\tjnz 1f\n\txorl %%ebp, %%ebp\n\tcall board_core\n1:"
                     : "=a"(made) : "a"(CLONE), "b"(SHARED | 17 /* SIGCHLD */), "c"(stack), "d"(0), "S"(0), "D"(0) : "memory");
    return made;
}

/* EPI_SIGNAL 0: it could not be started. */
static void lose_core(uint32_t index, int signal) {
    epi_slot *slot = &control()->slots[index];
    processes[index] = 0, stopped[index] = 0;
    slot->fault = EPI_SIGNAL, slot->why = (uint32_t)signal;
    fail_core(slot);
}

static void begin_core(uint32_t index) {
    processes[index] = start_core(index);
    if (processes[index] < 0) lose_core(index, 0);
}

static void end_core(uint32_t index) {
    if (processes[index] == 0) return;
    board_call(KILL, (uint32_t)processes[index], 9, 0, 0, 0, 0);
    board_call(WAITPID, (uint32_t)processes[index], 0, 0, 0, 0, 0);
}

/* Cores that others have ended, or stopped for long: whoever has them, or gets them next, is told. */
static void watch_cores(uint32_t cores) {
    enum { NO_WAIT = 1, STOPS = 2, GOES_ON = 8, STOPPED = 0x7f, CONTINUED = 0xffff, SIGSTOP = 19 };
    int status, process;
    while ((process = board_call(WAITPID, ~0u, (uint32_t)&status, NO_WAIT | STOPS | GOES_ON, 0, 0, 0)) > 0) {
        uint32_t n = 0;
        while (n < cores && processes[n] != process) n++;
        if (n == cores) continue;
        if (status == CONTINUED) stopped[n] = 0;
        else if ((status & STOPPED) == STOPPED) stopped[n] = chip_seconds();
        else lose_core(n, status & STOPPED);
    }
    for (uint32_t n = 0; n < cores; n++) {
        if (stopped[n] == 0 || chip_seconds() - stopped[n] < 1) continue;
        end_core(n);
        lose_core(n, SIGSTOP);
    }
}

static void reset_core(uint32_t index) {
    end_core(index);
    clear(index);
    if (races_forget != 0) races_forget(index);
    control()->slots[index].status = EPI_IDLE;
    begin_core(index);
    board_wake(&control()->slots[index].status);
    chip_tell_host();
}

static int map(uint32_t address, uint32_t size, uint32_t offset) {
    const uint32_t shared_fixed = 1 | 0x10;
    return board_call(MMAP, address, size, 3, shared_fixed, MEMORY, offset / 4096) == (int)address;
}

static int host_is_there(uint32_t host, bool watched) {
    struct {
        int file;
        short wanted, got;
    } asked = {HOST, 1, 0};
    if (watched) return board_call(POLL, (uint32_t)&asked, 1, 0, 0, 0, 0) == 0;
    return board_call(KILL, host, 0, 0, 0, 0, 0) == 0;
}

static uint32_t number(const char *text) {
    uint32_t value = 0;
    for (; *text != '\0'; text++) value = value * 10 + (uint32_t)(*text - '0');
    return value;
}

void board_main(uint32_t *words);
void board_main(uint32_t *words) {
    if (words[0] != 2 || !map(EPI_EXTERNAL, EPI_EXTERNAL_SIZE, 0)) board_call(EXIT_ALL, 2, 0, 0, 0, 0, 0);
    epi_control *page = control();
    uint32_t host = number((const char *)words[2]);
    int file = board_call(PIDFD_OPEN, host, 0, 0, 0, 0, 0);
    bool watched = file >= 0 && board_call(DUP2, (uint32_t)file, HOST, 0, 0, 0, 0) == HOST;
    const uint32_t cores = epi_cores(&page->geometry);
    for (uint32_t n = 0; n < cores; n++)
        if (!map(epi_address(&page->geometry, n), EPI_LOCAL, EPI_EXTERNAL_SIZE + n * EPI_LOCAL)) board_call(EXIT_ALL, 3, 0, 0, 0, 0, 0);
    board_call(CLOSE_RANGE, HOST + 1, ~0u, 0, 0, 0, 0);
    if (races_begin != 0) races_begin();
    for (uint32_t n = 0; n < cores; n++) clear(n); /* before the program knows of the board: a core writes to others */
    int made = board_call(FORK, 0, 0, 0, 0, 0, 0);
    if (made != 0) {
        if (made < 0) page->failed = -made;
        else page->process = (uint32_t)made;
        board_call(EXIT_ALL, 0, 0, 0, 0, 0, 0);
    }
    board_process = board_call(GETPID, 0, 0, 0, 0, 0, 0);
    for (uint32_t n = 0; n < cores; n++) begin_core(n);
    for (;;) {
        uint32_t now = page->board;
        for (uint32_t n = 0; n < cores; n++) {
            const uint32_t bit = 1u << n % 32;
            if ((page->reset[n / 32] & bit) == 0) continue;
            __atomic_fetch_and(&page->reset[n / 32], ~bit, __ATOMIC_SEQ_CST);
            reset_core(n);
        }
        watch_cores(cores);
        if (!host_is_there(host, watched)) board_call(EXIT_ALL, 0, 0, 0, 0, 0, 0);
        if ((page->reset[0] | page->reset[1]) == 0) board_wait(&page->board, now, 200);
    }
}

__asm__(".globl _start\n_start:\n\tmovl %esp, %eax\n\txorl %ebp, %ebp\n\tandl $-16, %esp\n\tsubl $12, %esp\n\tpushl %eax\n\tcall board_main\n");
