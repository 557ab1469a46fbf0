/* target.c -- a target region: its data environment around the launch of its kernel, now or sent to be received later.

   A region whose data is present costs two atomic operations an item and the device's launch (launch.c). */
#include "launch.h"

#include <stdlib.h>
#include <string.h>

void *ompls_kernel_of(ompls_place at) {
    return ompls_find_kernel(at, ompls_cache_of(at));
}

static void observe_arguments(ompls_place at, const ompls_arg *args) {
    if (!(ompls_info & OMPLS_INFO_ARGUMENTS)) return;
    for (uint32_t i = 0; i < at.region->nitems; i++)
        ompls_observe(&(ompls_event){.kind = "argument", .at = at, .var = at.region->items[i].name, .host = args[i].begin, .bytes = args[i].size});
}

/* What goes back is started behind the kernel, where the device can. */
static bool launch(ompls_run *run, ompls_traffic *traffic) {
    if (OMPLS_UNLIKELY(!ompls_start_kernel(run))) return false;
    if (run->at.device->module->mark != NULL && !ompls_observing) ompls_leave_behind(traffic);
    return true;
}

static int perform(ompls_run *run) {
    ompls_traffic traffic;
    ompls_enter_items(run->at, run->args, run->expanded == NULL ? run->cache->hint : NULL, run->items, &traffic);
    if (OMPLS_UNLIKELY(run->kernel == NULL) || OMPLS_UNLIKELY(!launch(run, &traffic))) {
        ompls_fall_back(&traffic, run->expanded);
        return 0;
    }
    ompls_await_kernel(run);
    traffic.started = false;
    ompls_leave_items(&traffic);
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_construct(run->at, OMPLS_TOOL_TARGET, false);
    if (OMPLS_UNLIKELY(ompls_observing)) ompls_observed();
    return 1;
}

enum { FEW = 16 };

static int perform_many(ompls_run *run) {
    const ompls_region *region = run->at.region;
    ompls_held *items = malloc(region->nitems * sizeof *items + region->nparams * (sizeof(ompls_address) + sizeof(void *)));
    if (items == NULL) ompls_fail(run->at, NULL, "out of memory");
    run->items = items;
    run->addresses = (ompls_address *)&items[region->nitems];
    run->params = (const void **)&run->addresses[region->nparams];
    int ran = perform(run);
    free(items);
    return ran;
}

static int perform_few(ompls_run *run) {
    ompls_held items[FEW];
    const void *params[FEW];
    ompls_address addresses[FEW];
    run->items = items;
    run->params = params;
    run->addresses = addresses;
    return perform(run);
}

static int run_target(ompls_run *run) {
    const ompls_region *region = run->at.region;
    if (OMPLS_UNLIKELY(run->kernel == NULL) && atomic_load(&run->at.device->table.count) == 0) { /* there is only the host's data */
        ompls_drop_lists(region, run->args);
        return 0;
    }
    run->expanded = NULL;
    if (OMPLS_UNLIKELY(region->nlists != 0)) {
        run->expanded = ompls_expand(region, run->args);
        run->at.region = region = &run->expanded->region;
        run->args = run->expanded->args;
    }
    if (OMPLS_UNLIKELY(ompls_observing)) observe_arguments(run->at, run->args);
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_construct(run->at, OMPLS_TOOL_TARGET, true);
    int ran = OMPLS_LIKELY(region->nitems <= FEW && region->nparams <= FEW) ? perform_few(run) : perform_many(run);
    if (OMPLS_UNLIKELY(run->expanded != NULL) && ran) ompls_expanded_done(run->expanded);
    return ran;
}

int ompls_run_target(ompls_place at, void *kernel, const ompls_arg *args, const void *const *values, const ompls_launch *asked, bool in_place) {
    ompls_run run;
    run.at = at, run.args = args, run.values = values, run.asked = asked, run.in_place = in_place;
    run.cache = ompls_cache_of(at), run.kernel = kernel;
    return run_target(&run);
}

int ompls_target(ompls_region *region, int64_t number, const ompls_arg *args, const void *const *values, const ompls_launch *asked) {
    ompls_run run;
    run.at = (ompls_place){ompls_resolve(region, number), region};
    if (OMPLS_UNLIKELY(run.at.device == NULL)) {
        ompls_drop_lists(region, args);
        return 0;
    }
    run.args = args, run.values = values, run.asked = asked, run.in_place = true;
    run.cache = ompls_cache_of(run.at), run.kernel = ompls_find_kernel(run.at, run.cache);
    ompls_device *device = run.at.device;
    bool counted = ompls_count_region(device);
    int ran = run_target(&run);
    ompls_region_done(device, counted);
    return ran;
}

/* --- a construct that is sent, and received later (device.h) ----------------------------------------------------------------- */

struct ompls_begun {
    ompls_place at;
    const ompls_arg *args;
    const void *const *values;
    bool copies; /* and nothing else: a `target update` */
    uint64_t ticket;
    ompls_traffic traffic;
    ompls_held items[FEW];
};

static _Noreturn void fail_begun(const ompls_begun *begun, const ompls_error *err) {
    if (begun->copies) ompls_fail_module(begun->at, "the copies of the construct failed", err);
    ompls_fail_launch(begun->at, begun->args, begun->values, err);
}

static ompls_begun *sent(ompls_begun *begun) {
    ompls_device *device = begun->at.device;
    ompls_error err;
    ompls_no_error(&err);
    if (device->module->send(device->handle, &begun->ticket, &err) != 0) fail_begun(begun, &err);
    return begun;
}

ompls_begun *ompls_begin_target(ompls_place at, void *kernel, const ompls_arg *args, const void *const *values, const ompls_launch *asked) {
    ompls_begun *begun = at.region->nitems <= FEW && at.region->nparams <= FEW ? malloc(sizeof *begun) : NULL;
    if (begun == NULL) return NULL;
    const void *params[FEW];
    ompls_address addresses[FEW];
    ompls_run run;
    run.at = at, run.args = args, run.values = values, run.asked = asked, run.expanded = NULL, run.in_place = false;
    run.cache = ompls_cache_of(at), run.kernel = kernel;
    run.items = begun->items, run.params = params, run.addresses = addresses;
    begun->at = at, begun->args = args, begun->values = values, begun->copies = false;
    atomic_fetch_add(&at.device->deferred, 1);
    ompls_enter_items(at, args, run.cache->hint, begun->items, &begun->traffic);
    launch(&run, &begun->traffic);
    return sent(begun);
}

ompls_begun *ompls_begin_update(ompls_place at, const ompls_arg *args) {
    ompls_begun *begun = malloc(sizeof *begun);
    if (begun == NULL) return NULL;
    begun->at = at, begun->args = args, begun->values = NULL, begun->copies = true;
    atomic_fetch_add(&at.device->deferred, 1);
    ompls_start_update(at, args);
    return sent(begun);
}

void ompls_receive(const ompls_begun *begun) {
    ompls_place at = begun->at;
    ompls_error err;
    ompls_no_error(&err);
    if (at.device->module->receive(at.device->handle, begun->ticket, &err) != 0) fail_begun(begun, &err);
}

void ompls_end_begun(ompls_begun *begun) {
    ompls_receive(begun);
    begun->traffic.started = false;
    if (!begun->copies) ompls_leave_items(&begun->traffic);
    atomic_fetch_sub(&begun->at.device->deferred, 1);
    free(begun);
}

void *ompls_device_address(int64_t number, const void *host) {
    ompls_device *device = ompls_resolve(NULL, number);
    ompls_address address;
    return device != NULL && ompls_find_address(device, host, 0, &address) ? (void *)(uintptr_t)address : (void *)(uintptr_t)host;
}
