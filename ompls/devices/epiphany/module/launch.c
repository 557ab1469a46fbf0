/* launch.c -- a kernel from its parameters to its end. */
#define _GNU_SOURCE
#include "epiphany.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What shall be near to the kernel lies behind its code; the address that it gets instead.  Its place in eight bytes stays, so
   that it is copied in large pieces. */
static bool place_section(board *b, int n, const kernel *k, const ompls_section *asked, uint64_t *address, uint32_t *end, epi_section *out, ompls_error *err) {
    const uint32_t there = (uint32_t)(*address + (uint64_t)asked->offset), at = ((*end + 7) & ~7u) + (there & 7);
    const uint32_t most = EPI_BLOCK - k->stack; /* not too much: the build has looked */
    if (at > most || asked->size > most - at) {
        ompls_device_fail(err, "map less of it, or leave out `ompx_local`",
                          "%s needs %llu bytes of the core's memory, and beside %u of code, %u of other sections and %u for a stack it has %u",
                          asked->name, (unsigned long long)asked->size, k->code - EPI_CODE, *end - k->code, k->stack, most > at ? most - at : 0);
        return false;
    }
    *end = at + (uint32_t)asked->size;
    *out = (epi_section){epi_address(&b->geometry, (uint32_t)n) + at, there, (uint32_t)asked->size, !asked->only_read};
    *address = out->here - (uint64_t)asked->offset;
    return true;
}

/* A type's size is a multiple of its alignment: where something of that size may begin. */
static uint64_t aligned(uint64_t at, uint64_t size) {
    enum { LEAST = 16, MOST = 256 };
    uint64_t to = size & -size;
    if (to < LEAST) to = LEAST;
    if (to > MOST) to = MOST;
    return (at + to - 1) / to * to;
}

/* A page of parameters: what comes near, their addresses, then their bytes. */
static bool put_parameters(board *b, int n, const kernel *k, const ompls_launch_request *request, ompls_error *err) {
    const uint32_t page = EPI_PARAMETERS + (uint32_t)n * PAGE;
    char *here = b->memory + (page - EPI_EXTERNAL);
    epi_parameters *all = (void *)here;
    const uint64_t first = sizeof *all + request->nparams * 4u, number = request->sections != NULL ? request->nparams : 0;
    uint64_t used = first + number * sizeof(epi_section);
    uint32_t end = k->code;
    *all = (epi_parameters){.sections = page + (uint32_t)first};
    for (uint32_t i = 0; i < request->nparams; i++) {
        bool address = request->kinds[i] == OMPLS_PASS_ADDRESS;
        uint64_t size = address ? 4 : request->sizes[i], value;
        used = aligned(used, size);
        if (used + size > PAGE || used > PAGE) {
            ompls_device_fail(err, "map large variables instead of passing them by value", "more than %d bytes of parameters", PAGE);
            return false;
        }
        ((uint32_t *)(void *)(all + 1))[i] = page + (uint32_t)used;
        if (address) {
            memcpy(&value, request->params[i], sizeof value);
            if (number != 0 && request->sections[i].size != 0 &&
                !place_section(b, n, k, &request->sections[i], &value, &end, (epi_section *)(void *)(here + first) + all->number++, err))
                return false;
            if (value >> 32 != 0) value = epi_foreign(value);
            memcpy(here + used, &value, 4);
        } else {
            memcpy(here + used, request->params[i], size);
        }
        used += size;
    }
    return true;
}

double epi_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Seconds that a kernel has; 0: as many as it takes; below that: it is no number. */
double epi_limit(void) {
    const char *asked = getenv("OMPLS_EPIPHANY_DEADLINE");
    char *end;
    if (asked == NULL || asked[0] == '\0') return 0;
    const double seconds = strtod(asked, &end);
    return end != asked && *end == '\0' && seconds >= 0 && seconds <= 1e9 ? seconds : -1;
}

/* Whether all its cores sleep: none of them can wake another one. */
static bool all_rest(const board *b, const held *mine) {
    for (int n = 0; b->hal == NULL && n < b->number; n++) {
        const volatile uint32_t *block = (const void *)(b->memory + EPI_EXTERNAL_SIZE + (uint32_t)n * EPI_LOCAL + EPI_BLOCK);
        enum { RESTING = 1 }; /* the second word of `core` (chip.h) */
        if ((mine->all & epi_bit(n)) != 0 && !block[RESTING]) return false;
    }
    return b->hal == NULL;
}

static int lose(board *b, ompls_process_state state, ompls_error *err) {
    b->lost = true, err->fatal = OMPLS_LOST_NOW;
    epi_end(b);
    return ompls_device_fail(err, "see who sends signals to it", "the process of the emulated board was %s",
                             state == OMPLS_STOPPED ? "stopped by a signal and did not go on; it has been ended" : "killed");
}

/* Until the kernel of `master` has ended, well or not. */
static int await(board *b, int master, const ompls_launch_request *request, ompls_error *err) {
    const double deadline = epi_limit(), since = epi_seconds();
    held mine = {.all = epi_bit(master)};
    ompls_process_state state;
    int stopped = 0;
    for (;;) {
        uint32_t now = b->control->host;
        epi_look_after(b, request, &mine);
        for (int n = 0; n < b->number; n++) {
            if ((mine.all & epi_bit(n)) == 0 || b->control->slots[n].status != EPI_FAULT) continue;
            epi_report(b, n, request, err);
            epi_reset(b, mine.all);
            epi_give_back(b, mine.all);
            return 1;
        }
        if (b->control->slots[master].status == EPI_DONE) break; /* all others have counted there */
        if (deadline > 0 && epi_seconds() - since > deadline) {
            bool rest = false; /* they look up 20 times a second */
            for (int tries = 0; b->hal == NULL && !rest && tries < 40; tries++)
                if (!(rest = all_rest(b, &mine))) nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
            const char *how = rest ? ": all of them waited for each other, at barriers or for tasks" : "";
            epi_reset(b, mine.all);
            epi_give_back(b, mine.all);
            return ompls_device_fail(err, "see the kernel, or OMPLS_EPIPHANY_DEADLINE", "kernel %s did not end within %g seconds; its %scores were reset%s", request->name, deadline, b->hal == NULL ? "emulated " : "", how);
        }
        if (epi_pause(b, now) && (state = ompls_see_process(&b->process, &stopped)) != OMPLS_RUNS) return lose(b, state, err);
    }
    epi_give_back(b, mine.all);
    epi_tell_findings(b, request);
    return 0;
}

int epi_launch(void *handle, void *found, const ompls_launch_request *request, ompls_error *err) {
    board *b = handle;
    const kernel *k = found;
    const int n = epi_wait_for_core(b, request, err);
    if (n < 0) return 1;
    if (!put_parameters(b, n, k, request, err)) {
        epi_give_back(b, epi_bit(n));
        return 1;
    }
    epi_start(b, n, k, k->entry, EPI_PARAMETERS + (uint32_t)n * PAGE);
    return await(b, n, request, err);
}

int epi_synchronize(void *handle, ompls_error *err) {
    (void)handle, (void)err;
    return 0;
}
