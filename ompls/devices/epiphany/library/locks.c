/* locks.c -- the locks of <omp.h>: words anywhere in memory, which change with one of the chip's own locks held. */
#include "chip.h"

/* Writes to one place arrive in the order in which they were made; those to different places need not, and a read may overtake a write.
   So a mark that is not there yet is written to each place behind all else, and read until it is there: a read takes longer than a
   write, so one place after the other costs no more.  Places are the external memory, the cores of the team and of those around it, the one that has the chip's locks, and
   the first master of a league, on whose stack the teams share variables. */
void chip_fence(void) {
    core *c = self(), *master = c;
    chip_reach(control()->marks, c);
    chip_reach(bank()->marks, c);
    for (const team *t = c->team; t != 0; t = t->around) {
        master = t->members[0];
        for (uint32_t i = 0; i < t->threads; i++) chip_reach(t->members[i]->marks, c);
    }
    if (master->leader != 0) chip_reach(master->leader->marks, c);
}

void unlock_far(word *l) { chip_fence(), unlock(l); }

typedef struct {
    word owner, count; /* the task that has it, 0: none; how often */
} nest;

static word *guard(void) {
    return &bank()->locks[3];
}

/* How often `owner` has it now; 0: somebody else has it.  Without a counter nobody has it twice. */
static uint32_t take(word *l, uint32_t owner, word *count) {
    lock(guard());
    bool mine = *l == 0 || (count != 0 && *l == owner);
    if (mine) *l = owner;
    uint32_t often = !mine ? 0 : count != 0 ? ++*count : 1;
    unlock_far(guard());
    return often;
}

static uint32_t current(void) {
    const core *c = self();
    return c->task != 0 ? (uint32_t)c->task : (uint32_t)c;
}

void omp_init_lock(word *l) { *l = 0; }
void omp_destroy_lock(word *l) { (void)l; }
int omp_test_lock(word *l) { return (int)take(l, 1, 0); }

void omp_set_lock(word *l) {
    while (!omp_test_lock(l)) chip_pause();
}

void omp_unset_lock(word *l) { chip_fence(), __atomic_store_n(l, 0, __ATOMIC_SEQ_CST); }

void omp_init_nest_lock(nest *l) { l->owner = l->count = 0; }
void omp_destroy_nest_lock(nest *l) { (void)l; }
int omp_test_nest_lock(nest *l) { return (int)take(&l->owner, current(), &l->count); }

void omp_set_nest_lock(nest *l) {
    while (!omp_test_nest_lock(l)) chip_pause();
}

void omp_unset_nest_lock(nest *l) {
    chip_fence();
    if (--l->count == 0) __atomic_store_n(&l->owner, 0, __ATOMIC_SEQ_CST);
}

void omp_init_lock_with_hint(word *l, int hint) { (void)hint, omp_init_lock(l); }
void omp_init_nest_lock_with_hint(nest *l, int hint) { (void)hint, omp_init_nest_lock(l); }
