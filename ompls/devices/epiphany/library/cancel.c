/* cancel.c -- cancellation, as gcc calls it (libgomp.h), where OMP_CANCELLATION says that there is one.

   A parallel region is cancelled by a word in the memory of each of its cores, a taskgroup by one of the group.  A worksharing region has
   no `nowait` then, so the number of the barrier behind it says which one was cancelled.  Kernels without cancellation do without this:
   the word is a function of this file. */
#include "chip.h"

enum { PARALLEL = 1, WORKSHARING = 2 | 4, TASKGROUP = 8 };

void GOMP_loop_end_nowait(void);

/* Whether the parallel region of a core's team was cancelled. */
bool is_cancelled(const core *c) {
    return c->team != 0 && c->team->threads > 1 ? c->cancelled != 0 : c->alone != 0;
}

bool GOMP_cancellation_point(int which) {
    core *c = self();
    if (!control()->cancellation) return false;
    if ((which & WORKSHARING) != 0) return team_of(c)->cancelled_loop == c->epoch + 1;
    return which == TASKGROUP ? task_is_cancelled(c, c->group) : is_cancelled(c);
}

/* The threads come from different barriers, so they meet at one that is behind all others; twice, for the tasks of this barrier and of
   the next. */
static void end_region(core *c) {
    loop *loops = c->team->loops;
    team_meet(c, BEHIND_ALL);
    team_meet(c, BEHIND_ALL + 1);
    for (int i = 0; c->number == 0 && i < LOOPS; i++) /* nobody has ended these */
        if (loops[i].busy != 0 && loops[i].end != 0) loops[i].end(&loops[i]);
}

static void cancel_region(core *c) {
    team *t = team_of(c);
    if (t->threads == 1) c->alone = 1;
    for (uint32_t i = 0; t->threads > 1 && i < t->threads; i++) {
        t->members[i]->cancelled = end_region;
        chip_ring(t->members[i]);
    }
}

bool GOMP_cancel(int which, bool really) {
    core *c = self();
    if (!control()->cancellation) return false;
    if (!really) return GOMP_cancellation_point(which);
    if (which == PARALLEL) cancel_region(c);
    else if ((which & WORKSHARING) != 0) team_of(c)->cancelled_loop = c->epoch + 1;
    else if (c->group != 0) group_of(c->group)->cancelled = 1;
    return true;
}

bool GOMP_barrier_cancel(void) {
    core *c = self();
    if (!is_cancelled(c)) team_barrier(c);
    return is_cancelled(c);
}

bool GOMP_loop_end_cancel(void) {
    GOMP_loop_end_nowait();
    return GOMP_barrier_cancel();
}

extern __typeof__(GOMP_loop_end_cancel) GOMP_sections_end_cancel __attribute__((alias("GOMP_loop_end_cancel")));
