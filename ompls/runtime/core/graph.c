/* graph.c -- `taskgraph`: what is recorded when a thread meets one for the first time, and found when one meets it again.

   While it is recorded everything runs as in a `taskgroup`: recording only takes notes, of the thread's own.  When all tasks are
   done the record is published; of two threads that have recorded the same the first one counts.  A `taskgraph` is not
   replayed where that could change anything: where a target region has no device any more, and in a team when tasks with
   `depend` have been made outside of graphs, since those would be ordered with its tasks.

   OMPLS_GRAPH_CHECK=1: what has been recorded is recorded again each time, and compared. */
#include "graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tasks.h"

struct ompls_recording {
    ompls_graph *graph;
    ompls_record *made;
    uint32_t room;
    ompls_order *order;
    ompls_record *before; /* OMPLS_GRAPH_CHECK: what it must be like */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all lists of records, and of their references */
static bool checking;

__attribute__((constructor(102))) static void read_settings(void) {
    const char *text = getenv("OMPLS_GRAPH_CHECK");
    checking = text != NULL && strcmp(text, "1") == 0;
}

void *ompls_graph_memory(void *memory, size_t size) {
    void *grown = realloc(memory, size);
    if (grown == NULL) ompls_fail((ompls_place){0}, NULL, "out of memory for a task graph");
    return grown;
}

/* --- records ---------------------------------------------------------------------------------------------------------- */

static void free_record(ompls_record *record) {
    for (uint32_t i = 0; i < record->count; i++) free(record->tasks[i].saved);
    free(record->tasks);
    free(record->successors);
    free(record);
}

static void release(ompls_record *record) {
    if (record == NULL) return;
    pthread_mutex_lock(&lock);
    bool last = --record->references == 0;
    pthread_mutex_unlock(&lock);
    if (last) free_record(record);
}

/* With the lock held. */
static ompls_record **find(ompls_graph *graph, int64_t id) {
    ompls_record **at = &graph->records;
    while (*at != NULL && (*at)->id != id) at = &(*at)->next;
    return at;
}

static ompls_record *get(ompls_graph *graph, int64_t id) {
    pthread_mutex_lock(&lock);
    ompls_record *found = *find(graph, id);
    if (found != NULL) found->references++;
    pthread_mutex_unlock(&lock);
    return found;
}

static void reset_record(ompls_graph *graph, int64_t id) {
    pthread_mutex_lock(&lock);
    ompls_record **at = find(graph, id), *found = *at;
    if (found != NULL) *at = found->next;
    pthread_mutex_unlock(&lock);
    release(found);
}

static void publish(ompls_graph *graph, ompls_record *made) {
    pthread_mutex_lock(&lock);
    ompls_record **at = find(graph, made->id);
    bool first = *at == NULL;
    if (first) {
        made->references++;
        *at = made;
    }
    pthread_mutex_unlock(&lock);
}

static void observe(const char *kind, const ompls_graph *graph, const ompls_record *record, ompls_device *device, uint64_t began) {
    const ompls_region region = {.file = graph->file, .line = graph->line};
    ompls_observe(&(ompls_event){.kind = kind, .at = {device, &region}, .tasks = record->count, .edges = record->nedges, .began = began});
}

/* --- replaying --------------------------------------------------------------------------------------------------------- */

/* The device has memory, and kernels for all target regions of the record. */
static bool can_run(const ompls_record *record, ompls_device *device) {
    if (!record->on_device) return true;
    if (device == NULL) return false;
    for (uint32_t i = 0; i < record->count; i++) {
        const ompls_node *what = record->tasks[i].what;
        if (what != NULL && what->region != NULL && ompls_kernel_of((ompls_place){device, what->region}) == NULL) return false;
    }
    return true;
}

static ompls_recording *record_anew(ompls_graph *graph, int64_t id, ompls_record *before) {
    ompls_recording *recording = ompls_graph_memory(NULL, sizeof *recording);
    *recording = (ompls_recording){.graph = graph, .order = ompls_order_new(), .before = before};
    recording->made = ompls_graph_memory(NULL, sizeof *recording->made);
    *recording->made = (ompls_record){.id = id, .references = 1};
    return recording;
}

int ompls_graph_begin(ompls_graph *graph, int64_t id, int asked, int reset, void *const *frame, ompls_recording **recording) {
    *recording = NULL;
    if (reset != 0) reset_record(graph, id);
    if (asked == 0 || (ompls_in_team() && ompls_team_has_depends())) return 0;
    ompls_record *record = get(graph, id);
    if (record == NULL || checking) {
        *recording = record_anew(graph, id, record);
        return 0;
    }
    ompls_device *device = record->on_device ? ompls_resolve(NULL, OMPLS_DEVICE_DEFAULT) : NULL;
    bool can = can_run(record, device);
    uint64_t began = OMPLS_UNLIKELY(ompls_observing) ? ompls_now() : 0;
    if (can) ompls_replay(record, frame, device);
    if (OMPLS_UNLIKELY(began != 0) && can) observe("graph_launch", graph, record, device, began);
    release(record);
    return can;
}

/* --- recording --------------------------------------------------------------------------------------------------------- */

static void note(ompls_recording *recording, const ompls_node *node, const void *saved) {
    ompls_record *made = recording->made;
    if (made->count == recording->room) made->tasks = ompls_graph_memory(made->tasks, (recording->room = recording->room * 2 + 64) * sizeof *made->tasks);
    ompls_recorded *task = &made->tasks[made->count++];
    *task = (ompls_recorded){.what = node};
    if (node == NULL) return;
    if (node->saved > 0) task->saved = memcpy(ompls_graph_memory(NULL, node->saved), saved, node->saved);
    if (node->region != NULL) made->on_device = true;
    else made->on_host = true;
}

void ompls_graph_task(ompls_recording *recording, const ompls_node *node, const void *saved, uint32_t ndepend, const ompls_depend *depend) {
    if (recording != NULL) {
        note(recording, node, saved);
        ompls_order_task(recording->order, ndepend, depend);
    }
    if (ndepend > 0 && !ompls_in_team()) ompls_wait_host_task(ndepend, depend);
}

int ompls_graph_nowait(ompls_recording *recording, const ompls_node *node, const void *saved, const ompls_arg *args,
                       const void *const *values, const ompls_launch *launch, uint32_t ndepend, const ompls_depend *depend) {
    if (recording != NULL) {
        note(recording, node, saved);
        ompls_order_task(recording->order, ndepend, depend);
    }
    return ompls_defer_target(node->region, OMPLS_DEVICE_DEFAULT, args, values, launch, ndepend, depend);
}

void ompls_graph_taskwait(ompls_recording *recording) {
    if (recording != NULL) {
        note(recording, NULL, NULL);
        ompls_order_wait(recording->order);
    }
    ompls_taskwait();
}

/* --- the end of a recording ---------------------------------------------------------------------------------------------- */

/* `task` of a record in words; "nothing" behind the last. */
static const char *describe(const ompls_record *record, uint32_t task, char *out, size_t size) {
    if (task >= record->count) snprintf(out, size, "nothing");
    else if (record->tasks[task].what == NULL) snprintf(out, size, "a place where tasks are waited for");
    else snprintf(out, size, "the task of %s:%u", record->tasks[task].what->file, record->tasks[task].what->line);
    return out;
}

static _Noreturn void fail_check(const ompls_recording *recording, uint32_t task, const char *how) {
    char was[600], is[600];
    ompls_region region = {.file = recording->graph->file, .line = recording->graph->line};
    ompls_fail((ompls_place){NULL, &region}, "a `taskgraph` that is not the same each time needs `graph_reset`, or a `graph_id` for each form",
               "task %u of the graph is not what was recorded: it was %s, and is %s%s", task, describe(recording->before, task, was, sizeof was),
               describe(recording->made, task, is, sizeof is), how);
}

/* The first difference ends the program. */
static void compare(const ompls_recording *recording) {
    const ompls_record *was = recording->before, *is = recording->made;
    for (uint32_t i = 0; i < was->count || i < is->count; i++) {
        if (i >= was->count || i >= is->count || was->tasks[i].what != is->tasks[i].what) fail_check(recording, i, "");
        const ompls_recorded *a = &was->tasks[i], *b = &is->tasks[i];
        if (a->what != NULL && a->what->saved > 0 && memcmp(a->saved, b->saved, a->what->saved) != 0)
            fail_check(recording, i, " with other values");
        if (a->nsuccessors != b->nsuccessors || memcmp(&was->successors[a->first], &is->successors[b->first], a->nsuccessors * sizeof *was->successors) != 0)
            fail_check(recording, i, ", and others wait for it");
    }
}

void ompls_graph_end(ompls_recording *recording) {
    if (recording == NULL) return;
    ompls_order_finish(recording->order, recording->made);
    if (recording->before != NULL) compare(recording);
    else publish(recording->graph, recording->made);
    if (OMPLS_UNLIKELY(ompls_observing)) observe("graph_build", recording->graph, recording->made, NULL, 0);
    release(recording->before);
    release(recording->made);
    ompls_order_free(recording->order);
    free(recording);
}
