/* graph_replay.c -- a recorded graph is run again: a counter for each task, and no dependence table.

   Whoever ends a task counts down those that wait for it; what becomes ready goes into a queue.  Threads that take from it never
   wait for each other: one that finds nothing leaves, and one that leaves something behind sends for another.  In a team they are
   tasks of libgomp.  In serial code host tasks are for the thread that replays, one after the other as they were met, as all tasks
   of serial code; it takes target regions, too, and workers help with those. */
#include "graph.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "launch.h"
#include "tasks.h"

typedef struct {
    uint32_t *task;
    uint32_t first, end;
} queue;

typedef struct {
    const ompls_record *record;
    void *const *frame;
    ompls_device *device;
    bool team;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* for the thread that replays serial code */
    uint32_t *waits;        /* of each task: for so many */
    queue ready;
    uint32_t next; /* of serial code: where the host task whose turn it is may be */
    uint32_t unfinished, helpers, most;
    uint32_t references; /* helpers may come when all is done */
} replay;

static _Thread_local ompls_device *current; /* of the region that this thread runs */

/* --- with the lock held ------------------------------------------------------------------------------------------------ */

static bool waits_for_turn(const replay *r, uint32_t task) {
    const ompls_node *what = r->record->tasks[task].what;
    return !r->team && what != NULL && what->region == NULL;
}

static void add(replay *r, uint32_t task) {
    if (!waits_for_turn(r, task)) r->ready.task[r->ready.end++] = task;
}

static uint32_t take(replay *r, bool helps) {
    if (!helps) {
        while (r->next < r->record->count && !waits_for_turn(r, r->next)) r->next++;
        if (r->next < r->record->count && r->waits[r->next] == 0) return r->next++;
    }
    return r->ready.first < r->ready.end ? r->ready.task[r->ready.first++] : OMPLS_NO_NODE;
}

static void end_task(replay *r, uint32_t task) {
    const ompls_recorded *ended = &r->record->tasks[task];
    const uint32_t *successor = &r->record->successors[ended->first];
    for (const uint32_t *end = successor + ended->nsuccessors; successor < end; successor++)
        if (--r->waits[*successor] == 0) add(r, *successor);
    r->unfinished--;
}

static bool wants_help(replay *r) {
    if (r->ready.first == r->ready.end || r->helpers >= r->most) return false;
    r->helpers++;
    r->references++;
    return true;
}

static void leave(replay *r) {
    bool last = --r->references == 0;
    pthread_mutex_unlock(&r->lock);
    if (!last) return;
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->changed);
    free(r);
}

/* --- threads --------------------------------------------------------------------------------------------------------------- */

/* A host task has a data environment of its own: what it sets there (omp_set_num_threads), and whose tasks it waits for. */
static void run(const ompls_recorded *task, void *const *frame, ompls_device *device) {
    if (task->what == NULL) return;
    if (task->what->region == NULL) {
#pragma omp task if (0) firstprivate(task, frame)
        task->what->run(frame, task->saved);
        return;
    }
    current = device;
    task->what->run(frame, task->saved);
}

static void send_for_help(replay *r);

/* With the lock held, in the end, too: until there is nothing that this thread can take. */
static void work(replay *r, bool helps) {
    for (uint32_t task; (task = take(r, helps)) != OMPLS_NO_NODE;) {
        bool more = wants_help(r);
        pthread_mutex_unlock(&r->lock);
        if (more) send_for_help(r);
        run(&r->record->tasks[task], r->frame, r->device);
        pthread_mutex_lock(&r->lock);
        end_task(r, task);
    }
}

static void help(replay *r) {
    pthread_mutex_lock(&r->lock);
    work(r, true);
    r->helpers--;
    pthread_cond_signal(&r->changed);
    leave(r);
}

typedef struct {
    ompls_task task;
    replay *of;
} helper;

static void run_helper(ompls_task *task) {
    help(((helper *)task)->of);
}

static void send_for_help(replay *r) {
    if (r->team) {
#pragma omp task firstprivate(r)
        help(r);
        return;
    }
    helper *made = ompls_graph_memory(NULL, sizeof *made);
    memset(made, 0, sizeof *made);
    made->task.run = run_helper;
    made->of = r;
    ompls_task_submit(&made->task, 0, NULL);
}

/* --- a replay -------------------------------------------------------------------------------------------------------------- */

static replay *begin(const ompls_record *record, void *const *frame, ompls_device *device) {
    enum { WORKERS = 15 };
    replay *r = ompls_graph_memory(NULL, sizeof *r + 2 * (size_t)record->count * sizeof *r->waits);
    *r = (replay){.record = record, .frame = frame, .device = device, .team = ompls_in_team(), .unfinished = record->count, .references = 1};
    r->most = r->team ? (uint32_t)omp_get_num_threads() : WORKERS;
    r->waits = (uint32_t *)(r + 1);
    r->ready.task = r->waits + record->count;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    for (uint32_t i = 0; i < record->count; i++)
        if ((r->waits[i] = record->tasks[i].before) == 0) add(r, i);
    return r;
}

static _Thread_local ompls_batch *batch; /* that this thread fills */

/* As they were met: each is behind those that it waits for. */
static void replay_in_order(const ompls_record *record, void *const *frame, ompls_device *device) {
    for (uint32_t i = 0; i < record->count; i++) run(&record->tasks[i], frame, device);
}

static void replay_together(const ompls_record *record, void *const *frame, ompls_device *device) {
    replay *r = begin(record, frame, device);
    if (r->team) {
        r->helpers++;
        r->references++;
#pragma omp taskgroup
        send_for_help(r);
    }
    pthread_mutex_lock(&r->lock);
    while (!r->team && r->unfinished > 0) {
        work(r, false);
        if (r->unfinished > 0) ompls_await(&r->changed, &r->lock);
    }
    leave(r);
}

void ompls_replay(const ompls_record *record, void *const *frame, ompls_device *device) {
    bool team = ompls_in_team();
    if (!team) ompls_taskwait(); /* what was deferred before may be what its tasks depend on */
    if (record->on_device && !record->on_host && ompls_batch_possible(device)) {
        batch = ompls_batch_new(device);
        replay_in_order(record, frame, device);
        ompls_batch_end(batch);
        batch = NULL;
    } else if (!record->on_device && !team) {
        replay_in_order(record, frame, device);
    } else if (record->count > 0) {
        replay_together(record, frame, device);
    }
}

/* The kernel was found before the replay began: a device that was lost since then says so when it is to run it. */
void ompls_graph_target(ompls_region *region, const ompls_arg *args, const void *const *values, const ompls_launch *launch) {
    if (batch != NULL) {
        ompls_batch_add(batch, region, args, values, launch);
        return;
    }
    ompls_place at = {current, region};
    bool counted = ompls_count_region(at.device);
    atomic_fetch_add(&at.device->deferred, 1);
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_deferred(true);
    ompls_run_target(at, atomic_load(&ompls_cache_of(at)->kernel), args, values, launch, false);
    atomic_fetch_sub(&at.device->deferred, 1);
    ompls_region_done(at.device, counted);
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_deferred(false);
}
