/* team.c -- deferred target constructs inside a team: a task of libgomp stands for each, so that `depend`, `taskwait`,
   `taskgroup` and barriers order host tasks and ours alike.  A thread of the team runs it.

   Not a detached task: gcc 12's libgomp takes `taskwait depend` on a detached task for done when its thread has gone on
   (gomp_task_maybe_wait_for_dependencies), so host code would go on too early.

   gcc has depend objects and iterators since version 9.  Before, the construct runs in the call, after all that the current
   task has made: whatever the dependences order, this order obeys. */
#include "tasks.h"

#include <omp.h>
#include <stdlib.h>

bool ompls_in_team(void) {
    return omp_get_level() > 0;
}

static _Atomic bool has_depends;

void ompls_team_notes(uint32_t ndepend) {
    if (ndepend > 0 && ompls_in_team()) atomic_store_explicit(&has_depends, true, memory_order_relaxed);
}

bool ompls_team_has_depends(void) {
    return atomic_load_explicit(&has_depends, memory_order_relaxed);
}

static void run(ompls_task *task) {
    task->run(task);
    free(task);
}

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 9

void ompls_team_submit(ompls_task *task, uint32_t ndepend, const ompls_depend *depend) {
    (void)ndepend, (void)depend;
#pragma omp taskwait
    run(task);
}

void ompls_team_wait(uint32_t ndepend, const ompls_depend *depend) {
    (void)ndepend, (void)depend;
#pragma omp taskwait
}

#else

_Static_assert(sizeof(omp_depend_t) == sizeof(ompls_depend), "libgomp keeps an address and a kind in an omp_depend_t");

enum { FEW = 16 };

/* The dependences as libgomp's objects.  False: omp_all_memory is among them, which gcc 12's libgomp does not know. */
static bool objects_of(uint32_t ndepend, const ompls_depend *depend, ompls_depend *out) {
    for (uint32_t i = 0; i < ndepend; i++) {
        out[i] = depend[i].kind == OMPLS_DEPEND_OBJECT ? *(const ompls_depend *)depend[i].address : depend[i];
        if (out[i].address == NULL) return false;
        if (out[i].kind == OMPLS_DEPEND_INOUTSET) out[i].kind = OMPLS_DEPEND_INOUT; /* libgomp has it from gcc 13 on */
    }
    return true;
}

static ompls_depend *room_for(uint32_t ndepend, ompls_depend *few) {
    ompls_depend *objects = ndepend <= FEW ? few : malloc(ndepend * sizeof *objects);
    if (objects == NULL) ompls_fail((ompls_place){0}, NULL, "out of memory for a deferred target construct");
    return objects;
}

void ompls_team_submit(ompls_task *task, uint32_t ndepend, const ompls_depend *depend) {
    ompls_depend few[FEW], *room = room_for(ndepend, few);
    omp_depend_t *objects = (omp_depend_t *)room;
    if (!objects_of(ndepend, depend, room)) {
#pragma omp taskwait
        run(task);
    } else if (ndepend == 0) {
#pragma omp task firstprivate(task)
        run(task);
    } else {
#pragma omp task firstprivate(task) depend(iterator(uint32_t i = 0 : ndepend), depobj : *(objects + i))
        run(task);
    }
    if (room != few) free(room);
}

void ompls_team_wait(uint32_t ndepend, const ompls_depend *depend) {
    ompls_depend few[FEW], *room = room_for(ndepend, few);
    omp_depend_t *objects = (omp_depend_t *)room;
    if (!objects_of(ndepend, depend, room)) {
#pragma omp taskwait
    } else if (ndepend > 0) {
#pragma omp task if (0) depend(iterator(uint32_t i = 0 : ndepend), depobj : *(objects + i))
        {
        }
    }
    if (room != few) free(room);
}

#endif
