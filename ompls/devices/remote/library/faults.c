/* faults.c -- signals of kernels that run in this process: a wrong address, a division by zero; and exit().

   The thread that serves comes back from the kernel by a long jump.  A thread of the kernel's own team that fails notes why,
   has that one jump, and waits for the end of the process. */
#define _GNU_SOURCE
#include "far.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK = 1 << 16 };

static sigjmp_buf back;
static volatile sig_atomic_t armed;
static pthread_t serving;
static ompls_error noted;
static atomic_int state; /* 0: nothing has failed; 1: somebody notes what; 2: that is done, and the end of all kernels here */
static uint64_t arena, arena_end, where; /* where: the code that failed */
static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

static const char *signal_text(int number) {
    switch (number) {
    case SIGFPE: return "an integer was divided by zero (or overflowed in a division)";
    case SIGABRT: return "the kernel called abort()";
    case SIGILL: return "code that cannot be reached (or an instruction that this machine has not)";
    default: return "the kernel was ended by a signal";
    }
}

static bool was_write(const ucontext_t *context) {
#if defined(__x86_64__)
    return (context->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
    (void)context;
    return false;
#endif
}

static uint64_t code_of(const ucontext_t *context) {
#if defined(__x86_64__)
    return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return context->uc_mcontext.pc;
#else
    (void)context;
    return 0;
#endif
}

static void note(int number, uint64_t address, const ucontext_t *context) {
    bool write = was_write(context);
    noted = (ompls_error){.fatal = OMPLS_LOST_NOW};
    where = code_of(context);
    if (number != SIGSEGV && number != SIGBUS) {
        snprintf(noted.reason, sizeof noted.reason, "%s", signal_text(number));
        return;
    }
    noted.fault = write ? 2 : 1;
    noted.fault_address = address;
    bool inside = address >= arena && address < arena_end;
    snprintf(noted.reason, sizeof noted.reason, "%s %saddress 0x%llx, which is not %s", write ? "wrote" : "read", inside ? "device " : "",
             (unsigned long long)address, inside ? "allocated" : "the device's");
}

static void on_signal(int number, siginfo_t *info, void *context) {
    bool mine = pthread_equal(pthread_self(), serving) != 0;
    if (number == SIGUSR1) { /* another thread has noted */
        if (mine && armed) siglongjmp(back, 1);
        return;
    }
    bool sent = info->si_code <= 0 && (number != SIGABRT || info->si_pid != getpid());
    if (sent || (!armed && (mine || state == 0))) { /* not a kernel's */
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    int before = 0;
    if (atomic_compare_exchange_strong(&state, &before, 1)) {
        note(number, (uint64_t)(uintptr_t)info->si_addr, context);
        state = 2;
        if (!mine) pthread_kill(serving, SIGUSR1);
    }
    while (mine && state != 2) continue;
    if (mine) siglongjmp(back, 1);
    for (;;) pause(); /* others of the team may fail, too, while the first one is told of */
}

/* Of exit(3): as of a signal. */
static void on_end(int status, void *nothing) {
    (void)nothing;
    bool mine = pthread_equal(pthread_self(), serving) != 0;
    int before = 0;
    if (!armed) return;
    if (atomic_compare_exchange_strong(&state, &before, 1)) {
        noted = (ompls_error){.fatal = OMPLS_LOST_NOW};
        snprintf(noted.reason, sizeof noted.reason, "the kernel called exit(%d)", status);
        state = 2;
        if (!mine) pthread_kill(serving, SIGUSR1);
    }
    while (mine && state != 2) continue;
    if (mine) siglongjmp(back, 1);
    for (;;) pause();
}

/* A thread of a kernel has a small stack or one that it has filled: only the serving thread gets another for signals. */
static void catch_signals(void) {
    static char alternate[STACK];
    sigaltstack(&(stack_t){.ss_sp = alternate, .ss_size = sizeof alternate}, NULL);
    /* SIGUSR1 may come when the serving thread is back already, and asks for the line. */
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART};
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) sigaction(caught[i], &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
}

/* The line that failed, if binutils are here.  The kernel may have been in the middle of malloc: nothing here calls that. */
static void find_line(ompls_error *err) {
    Dl_info object;
    char address[32], text[512], *colon, *slash;
    int ends[2];
    if (where == 0 || dladdr((void *)(uintptr_t)where, &object) == 0 || pipe(ends) != 0) return;
    snprintf(address, sizeof address, "%#llx", (unsigned long long)(where - (uint64_t)(uintptr_t)object.dli_fbase));
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        execlp("addr2line", "addr2line", "-e", object.dli_fname, address, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    ssize_t got = child < 0 ? 0 : read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    if (child > 0) waitpid(child, NULL, 0);
    text[got > 0 ? got : 0] = '\0';
    if ((colon = strrchr(text, ':')) == NULL) return;
    *colon = '\0';
    err->fault_line = (uint32_t)strtoul(colon + 1, NULL, 10);
    slash = strrchr(text, '/');
    if (err->fault_line != 0) snprintf(err->fault_file, sizeof err->fault_file, "%.127s", slash != NULL ? slash + 1 : text);
}

int ompls_far_guarded(int on) {
    int before = armed;
    armed = on;
    return before;
}

int ompls_far_guard(void (*work)(void *), void *with, uint64_t first, uint64_t last, ompls_error *err) {
    static bool caught_already;
    if (!caught_already) catch_signals(), on_exit(on_end, NULL);
    caught_already = true;
    serving = pthread_self();
    arena = first, arena_end = last;
    if (sigsetjmp(back, 0) != 0) {
        armed = 0;
        *err = noted;
        find_line(err);
        return 1;
    }
    armed = 1;
    work(with);
    armed = 0;
    return 0;
}
