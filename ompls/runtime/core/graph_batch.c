/* graph_batch.c -- target regions of a replay on a device that runs them one after the other anyway: nobody waits in between.

   A region whose data is present only counts it, and its kernel joins the batch: it is collected where a device takes many by one
   command (device.h, launch_all), or sent at once, to be received later.  One that has to copy something waits for what is under
   way, and runs by itself.  Kernels of a batch change nothing of the host's, so what a region brings to the device when it is
   met is what it would bring when its turn comes. */
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "launch.h"

enum { CHUNK = 1 << 16 };

typedef struct chunk {
    struct chunk *next;
    size_t used;
    _Alignas(16) char bytes[CHUNK - 32];
} chunk;

typedef struct {
    ompls_place at;
    const ompls_arg *args;
    ompls_held *items;
    const void **values; /* only for the name of what is null */
    uint64_t ticket;     /* of what was sent */
} member;

struct ompls_batch {
    ompls_device *device;
    uint32_t count, room, received;
    member *members;
    void **kernels;
    ompls_launch_request *requests;
    chunk *chunks;
};

bool ompls_batch_possible(const ompls_device *device) {
    bool in_order = device->module->launch_all != NULL || device->module->send != NULL;
    return in_order && !ompls_observing && !ompls_tooling && !ompls_shared_memory &&
           !atomic_load_explicit(&ompls_counting, memory_order_relaxed);
}

ompls_batch *ompls_batch_new(ompls_device *device) {
    ompls_batch *batch = ompls_graph_memory(NULL, sizeof *batch);
    *batch = (ompls_batch){.device = device};
    atomic_fetch_add(&device->deferred, 1);
    return batch;
}

/* Room until the batch ends, with a copy of `bytes` unless they are 0. */
static void *keep(ompls_batch *batch, const void *bytes, size_t size) {
    size_t rounded = (size + 15) & ~(size_t)15;
    if (batch->chunks == NULL || batch->chunks->used + rounded > sizeof batch->chunks->bytes) {
        chunk *made = ompls_graph_memory(NULL, sizeof *made + (rounded > sizeof made->bytes ? rounded : 0));
        made->next = batch->chunks;
        made->used = 0;
        batch->chunks = made;
    }
    void *room = batch->chunks->bytes + batch->chunks->used;
    batch->chunks->used += rounded;
    return bytes != NULL && size > 0 ? memcpy(room, bytes, size) : room;
}

static _Noreturn void fail(const member *of, const ompls_error *err) {
    ompls_fail_launch(of->at, of->args, of->values, err);
}

/* The end of the first that has not been received. */
static void receive(ompls_batch *batch) {
    const member *first = &batch->members[batch->received++];
    ompls_error err;
    ompls_no_error(&err);
    if (batch->device->module->receive(batch->device->handle, first->ticket, &err) != 0) fail(first, &err);
    atomic_fetch_sub(&batch->device->deferred, 1);
}

/* As a deferred construct that needs no thread (deferred.c): of all of these there are no more than a device takes unasked. */
static void send_last(ompls_batch *batch) {
    enum { MOST = 16 };
    ompls_device *device = batch->device;
    uint32_t last = batch->count - 1;
    member *sent = &batch->members[last];
    ompls_error err;
    ompls_no_error(&err);
    while (batch->received < last && atomic_load(&device->deferred) > MOST) receive(batch);
    atomic_fetch_add(&device->deferred, 1);
    if (device->module->launch(device->handle, batch->kernels[last], &batch->requests[last], &err) != 0) fail(sent, &err);
    if (device->module->send(device->handle, &sent->ticket, &err) != 0) fail(sent, &err);
}

static void launch_all(ompls_batch *batch) {
    ompls_device *device = batch->device;
    ompls_error err;
    uint32_t failed = 0;
    ompls_no_error(&err);
    int status = device->module->launch_all(device->handle, batch->count, batch->kernels, batch->requests, &failed, &err);
    for (uint32_t i = 0; status < 0 && i < batch->count; i++) {
        failed = i;
        if (device->module->launch(device->handle, batch->kernels[i], &batch->requests[i], &err) != 0) status = 1;
        else if (device->module->synchronize(device->handle, &err) != 0) status = 1;
    }
    if (status > 0) fail(&batch->members[failed], &err);
}

/* All that has joined is done, and its data as before. */
static void finish(ompls_batch *batch) {
    if (batch->count == 0) return;
    if (batch->device->module->launch_all != NULL) launch_all(batch);
    while (batch->device->module->launch_all == NULL && batch->received < batch->count) receive(batch);
    for (uint32_t i = 0; i < batch->count; i++) ompls_leave_environment(batch->members[i].at, batch->members[i].args, batch->members[i].items);
    batch->count = batch->received = 0;
}

void ompls_batch_end(ompls_batch *batch) {
    finish(batch);
    atomic_fetch_sub(&batch->device->deferred, 1);
    for (chunk *next; batch->chunks != NULL; batch->chunks = next) {
        next = batch->chunks->next;
        free(batch->chunks);
    }
    free(batch->members);
    free(batch->kernels);
    free(batch->requests);
    free(batch);
}

/* Where its data is present there is nothing to do for it but to count, and its parameters fit into a message. */
static bool only_counts(const ompls_region *region) {
    enum { SMALL = 4096 };
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < region->nparams; i++) bytes += region->params[i].size;
    if (bytes > SMALL) return false;
    const uint32_t more = OMPLS_MAP_ALWAYS | OMPLS_MAP_ATTACH | OMPLS_MAP_PART | OMPLS_MAP_DELETE | OMPLS_MAP_LIST | OMPLS_MAP_ROWS;
    for (uint32_t i = 0; i < region->nitems; i++)
        if (region->items[i].flags & more) return false;
    return region->nlists == 0;
}

static bool brings_something(const ompls_traffic *traffic) {
    for (uint32_t i = 0; i < traffic->at.region->nitems; i++)
        if (traffic->items[i].fresh) return true;
    return traffic->started;
}

/* What the kernel's parameters are is on the caller's stack: it is kept. */
static const void **keep_values(ompls_batch *batch, ompls_run *run) {
    const ompls_region *region = run->at.region;
    const void **values = keep(batch, NULL, region->nvalues * sizeof *values);
    for (uint32_t i = 0; i < region->nparams; i++) {
        const ompls_param_desc *param = &region->params[i];
        if (run->params[i] != &run->addresses[i]) run->params[i] = keep(batch, run->params[i], param->size);
        if (!ompls_is_address(param) && param->kind != OMPLS_PARAM_PART) values[param->index] = run->params[i];
    }
    return values;
}

static void join(ompls_batch *batch, ompls_run *run) {
    if (batch->count == batch->room) {
        batch->room = batch->room * 2 + 64;
        batch->members = ompls_graph_memory(batch->members, batch->room * sizeof *batch->members);
        batch->kernels = ompls_graph_memory(batch->kernels, batch->room * sizeof *batch->kernels);
        batch->requests = ompls_graph_memory(batch->requests, batch->room * sizeof *batch->requests);
    }
    batch->members[batch->count] = (member){run->at, run->args, run->items, keep_values(batch, run), 0};
    batch->kernels[batch->count] = run->kernel;
    batch->requests[batch->count++] = run->request;
    if (batch->device->module->launch_all == NULL) send_last(batch);
}

void ompls_batch_add(ompls_batch *batch, ompls_region *region, const ompls_arg *args, const void *const *values, const ompls_launch *asked) {
    ompls_run run;
    ompls_traffic traffic;
    bool empty;
    run.at = (ompls_place){batch->device, region};
    run.cache = ompls_cache_of(run.at);
    run.kernel = atomic_load(&run.cache->kernel);
    if (!only_counts(region)) {
        finish(batch);
        ompls_run_target(run.at, run.kernel, args, values, asked, false);
        return;
    }
    run.args = keep(batch, args, region->nitems * sizeof *args);
    run.values = values, run.asked = asked, run.expanded = NULL, run.in_place = false;
    run.items = keep(batch, NULL, region->nitems * sizeof *run.items);
    run.params = keep(batch, NULL, region->nparams * sizeof *run.params);
    run.addresses = keep(batch, NULL, region->nparams * sizeof *run.addresses);
    ompls_enter_items(run.at, run.args, run.cache->hint, run.items, &traffic);
    if (brings_something(&traffic) || !ompls_prepare_kernel(&run, &empty)) {
        finish(batch);
        ompls_start_kernel(&run);
        ompls_await_kernel(&run);
        traffic.started = false;
        ompls_leave_items(&traffic);
    } else if (empty) {
        ompls_leave_items(&traffic);
    } else {
        join(batch, &run);
    }
}
