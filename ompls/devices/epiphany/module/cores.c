/* cores.c -- which cores a kernel has: who waits for it gives it those that are free when it asks, and takes them back. */
#define _GNU_SOURCE
#include "epiphany.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PATIENCE = 5 /* seconds */ };

static int distance(const board *b, int one, int other) {
    const int columns = (int)b->geometry.columns;
    return abs(one / columns - other / columns) + abs(one % columns - other % columns);
}

/* How far a core is from the nearest of some; where that is the same, from all of them. */
static int away(const board *b, int n, cores from) {
    int least = INT_MAX / EPI_LOCAL, sum = 0;
    for (int other = 0; other < b->number; other++) {
        if ((from & epi_bit(other)) == 0) continue;
        int far = distance(b, n, other);
        if (far < least) least = far;
        sum += far;
    }
    return least * EPI_LOCAL + sum;
}

/* An idle core: the nearest one to the cores of `to`, or, apart, the one that is the farthest from all of them.  With the lock
   held; -1: none is free. */
static int take_core(board *b, const ompls_launch_request *holder, cores to, bool apart) {
    int best = -1, best_far = 0;
    for (int n = 0; n < b->number; n++) {
        if ((b->taken & epi_bit(n)) != 0) continue;
        int far = away(b, n, to);
        if (best < 0 || (apart ? far > best_far : far < best_far)) best = n, best_far = far;
    }
    if (best >= 0) b->taken |= epi_bit(best), b->holder[best] = holder;
    return best;
}

/* Argument 0: for another core.  Where a real board says no, the core has failed; an emulated one may have been ended before. */
void epi_start(board *b, int n, const kernel *k, uint32_t entry, uint32_t argument) {
    epi_slot *slot = &b->control->slots[n];
    b->running[n] = k;
    const bool there = b->hal == NULL || epi_hal_load(b, n, k);
    slot->code = k->code, slot->entry = entry, slot->argument = argument;
    slot->wanted = 0;
    if (b->hal != NULL) {
        __atomic_store_n(&slot->status, there ? EPI_START : EPI_FAULT, __ATOMIC_SEQ_CST);
        return;
    }
    uint32_t before = slot->status;
    while (before != EPI_FAULT && !__atomic_compare_exchange_n(&slot->status, &before, EPI_START, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) continue;
    epi_wake(&slot->status);
}

void epi_give_back(board *b, cores those) {
    pthread_mutex_lock(&b->lock);
    b->taken &= ~those;
    pthread_mutex_unlock(&b->lock);
    epi_tell(b, &b->control->host);
}

/* What a core asks for: cores for its team near to it, or masters of other teams far from all that the kernel has. */
static cores grant(board *b, const ompls_launch_request *request, int asking, uint32_t wanted, cores mine) {
    epi_slot *slot = &b->control->slots[asking];
    cores found = 0;
    pthread_mutex_lock(&b->lock);
    for (uint32_t given = 0; given < wanted; given++) {
        int n = take_core(b, request, slot->apart ? mine | found : epi_bit(asking), slot->apart != 0);
        if (n < 0) break;
        found |= epi_bit(n);
    }
    pthread_mutex_unlock(&b->lock);
    slot->given[0] = (uint32_t)found, slot->given[1] = (uint32_t)(found >> 32);
    for (int n = 0; n < b->number; n++)
        if ((found & epi_bit(n)) != 0) epi_start(b, n, b->running[asking], slot->other, 0);
    slot->wanted = 0;
    __atomic_store_n(&slot->granted, slot->granted + 1, __ATOMIC_SEQ_CST); /* nobody else writes it */
    if (b->hal != NULL) return found;
    volatile uint32_t *bell = (volatile uint32_t *)(void *)(b->memory + EPI_EXTERNAL_SIZE + (uint32_t)asking * EPI_LOCAL + EPI_BLOCK);
    epi_tell(b, bell); /* `core` of chip.h begins with it */
    return found;
}

/* The cores of a team that has left are given back; those that ask for more get an answer. */
void epi_look_after(board *b, const ompls_launch_request *request, held *mine) {
    for (int n = 0; n < b->number; n++) {
        const uint32_t wanted = (mine->all & epi_bit(n)) != 0 ? b->control->slots[n].wanted : 0;
        if (wanted == 0) continue;
        const bool apart = wanted != EPI_LEFT && b->control->slots[n].apart != 0;
        if (!apart && mine->team[n] != 0) {
            epi_give_back(b, mine->team[n]);
            mine->all &= ~mine->team[n], mine->team[n] = 0;
        }
        if (wanted == EPI_LEFT) continue;
        const cores found = grant(b, request, n, wanted, mine->all);
        mine->all |= found;
        if (!apart) mine->team[n] = found;
    }
}

void epi_reset(board *b, cores those) {
    if (b->hal != NULL) {
        epi_hal_reset(b, those);
        return;
    }
    __atomic_fetch_or(&b->control->reset[0], (uint32_t)those, __ATOMIC_SEQ_CST);
    __atomic_fetch_or(&b->control->reset[1], (uint32_t)(those >> 32), __ATOMIC_SEQ_CST);
    epi_tell(b, &b->control->board);
    for (int n = 0, tries = 0; n < b->number && tries < 1000; n++) {
        if ((those & epi_bit(n)) == 0) continue;
        for (; (b->control->reset[n / 32] >> n % 32 & 1) != 0 || b->control->slots[n].status != EPI_IDLE; tries++) {
            if (tries == 1000 || ompls_process_ended(&b->process)) return;
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        }
    }
}

static bool same_kernel(const ompls_launch_request *a, const ompls_launch_request *b) {
    return a == b || (a->region_line == b->region_line && strcmp(a->name, b->name) == 0 && strcmp(a->region_file, b->region_file) == 0);
}

/* Whose the cores are. */
static void name_holders(board *b, char *out, size_t size) {
    size_t used = 0;
    cores named = 0;
    out[0] = '\0';
    pthread_mutex_lock(&b->lock);
    for (int n = 0; n < b->number && used < size; n++) {
        if ((b->taken & ~named & epi_bit(n)) == 0) continue;
        const ompls_launch_request *holder = b->holder[n];
        int count = 0;
        for (int other = n; other < b->number; other++)
            if ((b->taken & epi_bit(other)) != 0 && same_kernel(b->holder[other], holder)) named |= epi_bit(other), count++;
        used += (size_t)snprintf(out + used, size - used, "%s%d by kernel %s of %s:%u", used != 0 ? ", " : "", count, holder->name, holder->region_file, holder->region_line);
    }
    pthread_mutex_unlock(&b->lock);
}

/* The first idle core; if there is none, when another kernel has ended.  Who waits for long is told for whom; -1: in vain. */
int epi_wait_for_core(board *b, const ompls_launch_request *request, ompls_error *err) {
    const double deadline = epi_limit(), since = epi_seconds();
    double patience = deadline > 0 && deadline < 2 * PATIENCE ? deadline / 2 : PATIENCE;
    char holders[400];
    while (!b->lost) {
        uint32_t now = b->control->host;
        pthread_mutex_lock(&b->lock);
        int n = take_core(b, request, 0, false);
        pthread_mutex_unlock(&b->lock);
        if (n >= 0) return n;
        double waited = epi_seconds() - since;
        if (deadline > 0 && waited > deadline) {
            name_holders(b, holders, sizeof holders);
            ompls_device_fail(err, "end those first, or see OMPLS_EPIPHANY_DEADLINE", "kernel %s got no core within %g seconds: %s", request->name, deadline, holders);
            return -1;
        }
        if (patience > 0 && waited > patience) {
            name_holders(b, holders, sizeof holders);
            fprintf(stderr, "ompls: %s:%u: region on epiphany:0: kernel %s waits for a core, for %g seconds now; all %d are held: %s\n",
                    request->region_file, request->region_line, request->name, patience, b->number, holders);
            patience = 0;
        }
        epi_pause(b, now);
    }
    err->fatal = OMPLS_LOST_BEFORE;
    ompls_device_fail(err, "start the program again", "the emulated board has ended");
    return -1;
}
