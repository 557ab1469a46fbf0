/* faults.c -- what a failed core and what checks have found mean for the user. */
#define _GNU_SOURCE
#include "epiphany.h"

#include <signal.h>
#include <string.h>

static const char *meaning(uint32_t number, bool overflow) {
    return overflow                              ? "the stack has grown into the code, which both lie in 32 KiB,"
           : number == SIGSEGV || number == SIGBUS ? "an address where the chip has no memory"
           : number == SIGFPE                    ? "a division by zero"
                                                 : "a misaligned access, or a trap";
}

/* Addresses of the host, where they have more than 32 bits: nothing is there on a board. */
uint32_t epi_foreign(uint64_t address) {
    return 0xa0000000u | (address & 0x0fffffff);
}

/* Which address of the host a kernel has touched: the one before it that it was given. */
static uint64_t native(uint32_t address, const ompls_launch_request *request) {
    uint64_t found = address, nearest = UINT64_MAX;
    for (uint32_t i = 0; i < request->nparams && address >> 28 == 0xa; i++) {
        uint64_t value;
        if (request->kinds[i] != OMPLS_PASS_ADDRESS) continue;
        memcpy(&value, request->params[i], sizeof value);
        uint64_t distance = (address - epi_foreign(value)) & 0x0fffffff;
        if (value >> 32 != 0 && distance < nearest) nearest = distance, found = value + distance;
    }
    return found;
}

int epi_report(board *b, int n, const ompls_launch_request *request, ompls_error *err) {
    const epi_slot *slot = &b->control->slots[n];
    const char *name = request->name;
    if (slot->fault == EPI_CUT)
        return ompls_device_fail(err, "use int64_t or uint64_t in the region, too", "a value of `long` or `unsigned long` that kernel %s gets does not fit the 4 bytes that they have on a core", name);
    if (b->hal != NULL) return ompls_device_fail(err, "see what it does without OMPLS_EPIPHANY_HAL", "core %d has failed, or could not be started (kernel %s)", n, name);
    if (slot->fault == EPI_SIGNAL && slot->why == SIGSTOP)
        return ompls_device_fail(err, "see who sends signals to it", "the process of the emulated core %d was stopped by a signal and did not go on; it has been ended (kernel %s)", n, name);
    if (slot->fault == EPI_SIGNAL)
        return ompls_device_fail(err, "see who sends signals to it, and the limits on processes", "the process of the emulated core %d was ended by signal %u (kernel %s)", n, slot->why, name);
    const bool overflow = slot->fault == EPI_OVERFLOW;
    err->fault = overflow ? 0 : (int)slot->fault;
    err->fault_address = native(slot->address, request);
    err->fault_line = epi_find_line(b, slot->place, err->fault_file, sizeof err->fault_file);
    const char *next = overflow ? "declare smaller arrays, map large ones, and call less deeply" : "see the kernel";
    if (err->fault_line == 0) return ompls_device_fail(err, next, "%s on the emulated core %d (kernel %s)", meaning(slot->why, overflow), n, name);
    return ompls_device_fail(err, next, "%s on the emulated core %d (kernel %s, %s:%u)", meaning(slot->why, overflow), n, name, err->fault_file, err->fault_line);
}

/* What checks have found since the last kernel, with names and lines. */
void epi_tell_findings(board *b, const ompls_launch_request *request) {
    const epi_findings *all = (const void *)(b->memory + (EPI_FINDINGS - EPI_EXTERNAL));
    for (; b->told < all->number; b->told++) {
        const epi_finding *f = &all->of[b->told];
        char other[128] = "?";
        ompls_finding out = {.kind = "data race on", .check = "races", .address = f->address, .region_file = request->region_file, .region_line = request->region_line, .kernel = request->name,
                             .next = "order the two with a barrier, a critical section, or a flush beside an atomic operation"};
        const uint32_t line = epi_find_line(b, f->other_place - 1, other, sizeof other);
        out.line = epi_find_line(b, f->place - 1, out.file, sizeof out.file);
        if (f->wrote == 2) snprintf(out.what, sizeof out.what, "core %u writes what core %u reads at %.90s:%u, and may do so before that", f->core, f->other, other, line);
        else snprintf(out.what, sizeof out.what, "core %u %s what core %u has written at %.90s:%u, which need not have arrived", f->core, f->wrote ? "overwrites" : "reads", f->other, other, line);
        epi_find_variable(b, f->address, out.variable, sizeof out.variable);
        ompls_report_finding(b, &out);
    }
}
