/* tasks.h -- target tasks that run beside the thread that made them: who waits for whom (tasks.c), the threads that run them
   (workers.c), and those that need none (begun.c). */
#ifndef OMPLS_TASKS_H
#define OMPLS_TASKS_H
#include "core.h"

typedef struct ompls_context ompls_context;

/* A deferred construct: the head of an allocation that holds all it needs. */
typedef struct ompls_task {
    void (*run)(struct ompls_task *task);
    bool (*begin)(struct ompls_task *task); /* starts it, so that `run` only ends it; false: `run` has to do all.  May be 0 */
    ompls_begun *begun;                     /* since then */
    ompls_device *device;                   /* where that is */
    ompls_context *context; /* of the serial thread that made it */
    uint64_t number;        /* of the context's tasks */
    struct ompls_task *before, *after; /* among the unfinished of the context, by number */
    struct ompls_task *next;           /* in the workers' queue, or among those that were begun */
    struct ompls_task **successors;
    uint32_t nsuccessors, room;
    uint64_t bytes;      /* of memory that it holds while it waits to be run */
    uint32_t waiting;    /* for so many unfinished tasks */
    uint32_t references;
    bool finished;
    double since; /* when the workers got it */
} ompls_task;

/* tasks.c: run it when what it depends on is done, now in this thread's table or as a task of its team. */
void ompls_task_submit(ompls_task *task, uint32_t ndepend, const ompls_depend *depend);
void ompls_task_done(ompls_task *task); /* by the worker that ran it */

/* begun.c: a task that has been begun, which whoever waits first ends, from now on. */
void ompls_task_begun(ompls_task *task);
bool ompls_task_claim(ompls_task *task); /* it is among those, and now the caller's to end */
void ompls_task_end(ompls_task *task);
void ompls_end_all_begun(void);

/* workers.c */
void ompls_work(ompls_task *task); /* ready: a worker runs it as soon as there is one */
void ompls_workers_finish(void);   /* all that was submitted is done, and so are the threads */
void ompls_workers_leave(void);    /* the main thread has ended: idle workers must not keep the program running */

/* team.c: in a team libgomp's tasks carry the dependences. */
bool ompls_in_team(void);
void ompls_team_submit(ompls_task *task, uint32_t ndepend, const ompls_depend *depend);
void ompls_team_wait(uint32_t ndepend, const ompls_depend *depend);
/* A task with `depend` is made outside of task graphs; whether a team has ever made one (graph.c). */
void ompls_team_notes(uint32_t ndepend);
bool ompls_team_has_depends(void);

/* deferred.c: ompls_target_nowait, of a task graph, too. */
int ompls_defer_target(ompls_region *region, int64_t device, const ompls_arg *args, const void *const *values,
                       const ompls_launch *launch, uint32_t ndepend, const ompls_depend *depend);
#endif
