/* deferred.c -- `nowait`: a device construct becomes a task with copies of everything that the construct was given.

   A deferred region enters its data environment when it runs, not when it is met (OpenMP 5.2 section 13.8: map clauses take
   effect in the target task). */
#include "tasks.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    ompls_task task;
    ompls_place at;
    void *kernel;
    bool counted;
    void (*function)(ompls_region *, int64_t, const ompls_arg *);
    const void **values;
    ompls_launch launch;
    ompls_arg args[];
} construct;

static uint64_t aligned(uint64_t size) {
    return (size + 15) & ~(uint64_t)15; /* as malloc: a value may be a vector or a complex number */
}

static bool has_value(const ompls_param_desc *param) {
    return param->kind == OMPLS_PARAM_VALUE || param->kind == OMPLS_PARAM_SIZE || param->kind == OMPLS_PARAM_POINTER;
}

/* Bytes of copies: of the values that are parameters, and of large firstprivate variables. */
static uint64_t bytes_of_copies(const ompls_region *region, const ompls_arg *args, const void *const *values) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < region->nparams && values != NULL; i++)
        if (has_value(&region->params[i])) bytes += aligned(region->params[i].size);
    for (uint32_t i = 0; i < region->nitems; i++)
        if (region->items[i].flags & OMPLS_MAP_VALUE) bytes += aligned(args[i].size);
    return bytes;
}

static construct *make(ompls_place at, const ompls_arg *args, const void *const *values) {
    const ompls_region *region = at.region;
    uint64_t head = aligned(sizeof(construct) + region->nitems * sizeof *args + region->nvalues * sizeof *values);
    uint64_t bytes = head + bytes_of_copies(region, args, values);
    construct *made = calloc(1, bytes);
    if (made == NULL) ompls_fail(at, "wait for earlier ones", "no memory to defer the construct");
    made->task.bytes = bytes;
    char *room = (char *)made + head;
    made->at = at;
    made->values = (const void **)&made->args[region->nitems];
    if (region->nitems > 0) memcpy(made->args, args, region->nitems * sizeof *args);
    for (uint32_t i = 0; i < region->nparams && values != NULL; i++) {
        const ompls_param_desc *param = &region->params[i];
        if (!has_value(param)) continue;
        made->values[param->index] = memcpy(room, values[param->index], param->size);
        room += aligned(param->size);
    }
    for (uint32_t i = 0; i < region->nitems; i++) {
        if (!(region->items[i].flags & OMPLS_MAP_VALUE)) continue;
        made->args[i].base = made->args[i].begin = memcpy(room, args[i].begin, args[i].size);
        room += aligned(args[i].size);
    }
    return made;
}

static void run_target(ompls_task *task) {
    construct *c = (construct *)task;
    atomic_fetch_add(&c->at.device->deferred, 1);
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_deferred(true);
    ompls_run_target(c->at, c->kernel, c->args, c->values, &c->launch, false);
    atomic_fetch_sub(&c->at.device->deferred, 1);
    ompls_region_done(c->at.device, c->counted);
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_deferred(false);
}

static void end(ompls_task *task) {
    ompls_end_begun(task->begun);
}

/* Nothing in it waits for the device or for another thread, neither here nor while it is under way: all that travels fits into
   a message that is taken without being waited for.  Who looks on sees one thing after the other. */
static bool can_be_sent(ompls_place at, const ompls_arg *args, bool updates) {
    enum { SMALL = 4096, MOST = 16 };
    const ompls_module *module = at.device->module;
    const ompls_region *region = at.region;
    ompls_table *table = &at.device->table;
    uint64_t bytes = 0;
    if (module->send == NULL || ompls_observing || ompls_tooling || ompls_shared_memory || region->nlists != 0) return false;
    if (atomic_load(&at.device->deferred) >= MOST) return false;
    for (uint32_t i = 0; i < region->nparams; i++) {
        if (region->params[i].kind == OMPLS_PARAM_ORIGINAL || region->params[i].kind == OMPLS_PARAM_PARTIALS) return false;
        bytes += region->params[i].size;
    }
    bool settled = true;
    ompls_table_lock(table);
    for (uint32_t i = 0; i < region->nitems && settled; i++) {
        uint32_t flags = region->items[i].flags;
        ompls_reference there;
        ompls_entry *overlapping;
        bool found, waits = (flags & (OMPLS_MAP_ATTACH | OMPLS_MAP_PART | OMPLS_MAP_ROWS)) != 0;
        settled = !waits && ompls_table_look(table, (uintptr_t)args[i].begin, ompls_end_of(&args[i]), &overlapping, &there, &found);
        if (settled && updates && found) settled = atomic_load(&there.entry->attachments) == NULL;
        if (settled && (updates || !found || (flags & OMPLS_MAP_ALWAYS)) && !(flags & OMPLS_MAP_ZERO_LENGTH)) bytes += args[i].size;
    }
    pthread_mutex_unlock(&table->lock);
    return settled && bytes <= SMALL && module->ready(at.device->handle) != 0;
}

/* Not where the program asks which device is idle: that is told when a region is done, not when somebody has waited for it. */
static bool begin_target(ompls_task *task) {
    construct *c = (construct *)task;
    if (c->counted || !can_be_sent(c->at, c->args, false)) return false;
    task->begun = ompls_begin_target(c->at, c->kernel, c->args, c->values, &c->launch);
    if (task->begun == NULL) return false;
    task->device = c->at.device;
    task->run = end;
    return true;
}

int ompls_defer_target(ompls_region *region, int64_t device, const ompls_arg *args, const void *const *values,
                       const ompls_launch *launch, uint32_t ndepend, const ompls_depend *depend) {
    ompls_place at = {ompls_resolve(region, device), region};
    void *kernel = at.device != NULL ? ompls_kernel_of(at) : NULL;
    if (kernel == NULL) {
        ompls_wait_depend(ndepend, depend);
        if (at.device != NULL) return ompls_run_target(at, NULL, args, values, launch, true);
        ompls_drop_lists(region, args);
        return 0;
    }
    construct *made = make(at, args, values);
    made->task.run = run_target;
    made->task.begin = begin_target;
    made->kernel = kernel;
    made->counted = ompls_count_region(at.device);
    if (launch != NULL) made->launch = *launch;
    ompls_task_submit(&made->task, ndepend, depend);
    return 1;
}

int ompls_target_nowait(ompls_region *region, int64_t device, const ompls_arg *args, const void *const *values,
                        const ompls_launch *launch, uint32_t ndepend, const ompls_depend *depend) {
    ompls_team_notes(ndepend);
    return ompls_defer_target(region, device, args, values, launch, ndepend, depend);
}

static bool begin_update(ompls_task *task) {
    construct *c = (construct *)task;
    task->begun = can_be_sent(c->at, c->args, true) ? ompls_begin_update(c->at, c->args) : NULL;
    if (task->begun == NULL) return false;
    task->device = c->at.device;
    task->run = end;
    return true;
}

static void run_data(ompls_task *task) {
    construct *c = (construct *)task;
    atomic_fetch_add(&c->at.device->deferred, 1);
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_deferred(true);
    c->function((ompls_region *)(uintptr_t)c->at.region, c->at.device->number, c->args);
    atomic_fetch_sub(&c->at.device->deferred, 1);
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_deferred(false);
}

void ompls_data_nowait(void (*function)(ompls_region *, int64_t, const ompls_arg *), ompls_region *region, int64_t device,
                       const ompls_arg *args, uint32_t ndepend, const ompls_depend *depend) {
    ompls_place at = {ompls_resolve(region, device), region};
    if (at.device == NULL) { /* the initial device's data is where it is */
        ompls_drop_lists(region, args);
        ompls_wait_depend(ndepend, depend);
        return;
    }
    construct *made = make(at, args, NULL);
    made->task.run = run_data;
    made->task.begin = function == ompls_update ? begin_update : NULL;
    made->function = function;
    ompls_team_notes(ndepend);
    ompls_task_submit(&made->task, ndepend, depend);
}
