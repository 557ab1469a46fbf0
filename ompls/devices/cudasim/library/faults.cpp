// faults.cpp -- signals of kernels: a wrong address, a division by zero; what the host is told of them.
#include "faults.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <initializer_list>

#include "channel.h"
#include "engine.h"
#include "pages.h"

using namespace ompls_sim_channel;

namespace {

uint64_t arena; // where the device's memory begins

const char *signal_text(int number)
{
    switch (number) {
    case SIGFPE: return "an integer was divided by zero (or overflowed in a division)";
    case SIGILL: return "a misaligned address (or code that cannot be reached)"; // -fsanitize=alignment, __builtin_trap
    case SIGABRT: return "the kernel called abort()";
    default: return "the kernel was interrupted by a signal";
    }
}

void on_fault(int number, siginfo_t *info, void *context)
{
    const bool sent = info->si_code <= 0; // by a process, not by the machine; abort() is ours
    if (sent && (number != SIGABRT || info->si_pid != getpid())) kill(getpid(), SIGKILL);
    const ucontext_t *c = static_cast<ucontext_t *>(context);
#if defined(__x86_64__)
    const uint64_t pc = uint64_t(c->uc_mcontext.gregs[REG_RIP]);
    bool write = c->uc_mcontext.gregs[REG_ERR] & 2;
#else
    const uint64_t pc = c->uc_mcontext.pc;
    bool write = false;
    // The exception syndrome register travels in a record of the signal frame (Linux, asm/sigcontext.h).
    for (const uint8_t *p = c->uc_mcontext.__reserved; p < c->uc_mcontext.__reserved + 4096;) {
        uint32_t magic, size;
        memcpy(&magic, p, 4);
        memcpy(&size, p + 4, 4);
        if (magic == 0 || size == 0) break;
        uint64_t esr;
        memcpy(&esr, p + 8, 8);
        if (magic == 0x45535201) write = esr >> 6 & 1; // WnR
        p += size;
    }
#endif
    if (number == SIGSEGV && ompls_sim_fetch_page(reinterpret_cast<uint64_t>(info->si_addr), write, info->si_code == SEGV_MAPERR))
        return;
    claim_the_end();
    control->pc = pc;
    if (number == SIGSEGV || number == SIGBUS) {
        const uint64_t address = reinterpret_cast<uint64_t>(info->si_addr);
        control->fault = write ? 2 : 1;
        control->fault_address = address;
        const char *did = write ? "wrote" : "read";
        const unsigned long long shown = address;
        // A non-canonical address is reported as 0 by x86-64.
        if (address >= SIM_INTERNAL_BASE && address < SIM_INTERNAL_BASE + SIM_INTERNAL_SIZE)
            snprintf(control->reason, sizeof control->reason, "the stack of a thread is full (512 KiB of local variables)"),
                control->fault = 0;
        else if (address >= arena && address < arena + SIM_ARENA_STRIDE)
            snprintf(control->reason, sizeof control->reason, "%s device address 0x%llx, which is not allocated", did, shown);
        else
            snprintf(control->reason, sizeof control->reason, "%s address 0x%llx, which is not the device's", did, shown);
    } else {
        ++control->pc; // the host looks one before, as for a return address
        snprintf(control->reason, sizeof control->reason, "%s", signal_text(number));
    }
    end_process();
}

} // namespace

void ompls_sim_catch_faults(uint64_t first)
{
    arena = first;
    stack_t alternate = {};
    alternate.ss_sp = ompls_sim_map(65536);
    alternate.ss_size = 65536;
    sigaltstack(&alternate, nullptr); // of this thread
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(number, &action, nullptr);
}
