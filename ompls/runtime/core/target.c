/* target.c -- a target region: its data environment, its launch geometry, its kernel.

   Each construct has a cache: per device, the resolved kernel and for every item the entry found last time.  So a region
   whose data is present costs two atomic operations an item and the device's launch. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    _Atomic(void *) kernel;
    _Atomic(ompls_entry *) hint[];
} device_cache;

struct ompls_region_cache {
    int ndevices;
    _Atomic(device_cache *) device[];
};

struct ompls_env {
    ompls_place at;
    ompls_held *items;
    ompls_expanded *expanded; /* the construct has lists: `args` are in there */
    ompls_arg args[];
};

static void *reserve(ompls_place at, size_t size) {
    void *memory = calloc(1, size);
    if (memory == NULL) ompls_fail(at, NULL, "out of memory");
    return memory;
}

/* Threads that meet in a construct for the first time both build a cache; one of them stays. */
static device_cache *cache_of(ompls_place at, ompls_region *region) {
    _Atomic(struct ompls_region_cache *) *slot = (_Atomic(struct ompls_region_cache *) *)&region->cache;
    struct ompls_region_cache *cache = atomic_load_explicit(slot, memory_order_acquire);
    if (OMPLS_UNLIKELY(cache == NULL)) {
        int count = ompls_device_count();
        struct ompls_region_cache *fresh = reserve(at, sizeof *fresh + (size_t)count * sizeof fresh->device[0]);
        fresh->ndevices = count;
        if (atomic_compare_exchange_strong(slot, &cache, fresh)) cache = fresh;
        else free(fresh);
    }
    device_cache *mine = atomic_load_explicit(&cache->device[at.device->number], memory_order_acquire);
    if (OMPLS_UNLIKELY(mine == NULL)) {
        device_cache *fresh = reserve(at, sizeof *fresh + region->nitems * sizeof fresh->hint[0]);
        if (atomic_compare_exchange_strong(&cache->device[at.device->number], &mine, fresh)) mine = fresh;
        else free(fresh);
    }
    return mine;
}

/* --- target data ----------------------------------------------------------------------------------------------------- */

struct ompls_env *ompls_data_begin(ompls_region *region, int64_t device, const ompls_arg *args) {
    ompls_place at = {ompls_resolve(region, device), region};
    if (OMPLS_UNLIKELY(at.device == NULL)) {
        ompls_drop_lists(region, args);
        return NULL;
    }
    ompls_expanded *expanded = region->nlists != 0 ? ompls_expand(region, args) : NULL;
    if (expanded != NULL) {
        at.region = region = &expanded->region;
        args = expanded->args;
    }
    struct ompls_env *env = reserve(at, sizeof *env + region->nitems * (sizeof(ompls_arg) + sizeof(ompls_held)));
    env->at = at;
    env->items = (ompls_held *)&env->args[region->nitems];
    if (region->nitems > 0) memcpy(env->args, args, region->nitems * sizeof *args);
    if (OMPLS_UNLIKELY(ompls_observing)) ompls_observe(&(ompls_event){.kind = "env_push", .at = at});
    env->expanded = expanded;
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_construct(at, OMPLS_TOOL_ENTER, true);
    ompls_traffic traffic;
    ompls_enter_items(at, args, expanded == NULL ? cache_of(at, region)->hint : NULL, env->items, &traffic);
    ompls_entered(&traffic);
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_construct(at, OMPLS_TOOL_ENTER, false);
    if (OMPLS_UNLIKELY(ompls_observing)) ompls_observed();
    return env;
}

void ompls_data_end(ompls_region *region, struct ompls_env *env) {
    (void)region;
    if (env == NULL) return;
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_construct(env->at, OMPLS_TOOL_EXIT, true);
    ompls_leave_environment(env->at, env->args, env->items);
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_construct(env->at, OMPLS_TOOL_EXIT, false);
    if (OMPLS_UNLIKELY(ompls_observing)) {
        ompls_observe(&(ompls_event){.kind = "env_pop", .at = env->at});
        ompls_observed();
    }
    ompls_expanded_done(env->expanded);
    free(env);
}

/* --- launch ---------------------------------------------------------------------------------------------------------- */

/* 0 when the image has no such kernel, or the device runs no more. */
void *ompls_kernel_of(ompls_place at) {
    if (OMPLS_UNLIKELY(atomic_load_explicit(&at.device->lost, memory_order_relaxed))) return NULL;
    device_cache *cache = cache_of(at, (ompls_region *)(uintptr_t)at.region);
    void *kernel = atomic_load_explicit(&cache->kernel, memory_order_acquire);
    if (OMPLS_LIKELY(kernel != NULL)) return kernel;
    ompls_device *device = at.device;
    ompls_error err = {0};
    if (device->loaded == NULL)
        err = (ompls_error){.reason = "the program has no kernels for this kind of device", .hint = "build it again for this device"};
    else if (device->module->find_kernel(device->handle, device->loaded, at.region->kernel, &kernel, &err) == 0) {
        atomic_store_explicit(&cache->kernel, kernel, memory_order_release);
        return kernel;
    }
    if (ompls_offload_policy() == OMPLS_OFFLOAD_MANDATORY) ompls_fail_module(at, "the region has no kernel", &err);
    static _Atomic int warned;
    if (atomic_exchange(&warned, 1) == 0)
        ompls_warn("%s:%u: region on %s: no kernel: %s (it runs on the host)", at.region->file, at.region->line, device->name, err.reason);
    return NULL;
}

static void observe_arguments(ompls_place at, const ompls_arg *args) {
    if (!(ompls_info & OMPLS_INFO_ARGUMENTS)) return;
    for (uint32_t i = 0; i < at.region->nitems; i++)
        ompls_observe(&(ompls_event){.kind = "argument", .at = at, .var = at.region->items[i].name, .host = args[i].begin, .bytes = args[i].size});
}

/* What a launch needs room for. */
typedef struct {
    ompls_held *items;
    const void **params;
    ompls_address *addresses;
    uint64_t *sizes;
    ompls_expanded *expanded; /* may be 0 */
    bool in_place;            /* the caller can run the region */
} room;

static void fill_params(ompls_place at, const ompls_arg *args, const void *const *values, room *room) {
    const ompls_region *region = at.region;
    for (uint32_t i = 0; i < region->nparams; i++) {
        const ompls_param_desc *param = &region->params[i];
        room->sizes[i] = param->size;
        if (param->kind == OMPLS_PARAM_VALUE) {
            room->params[i] = values[param->index];
            continue;
        }
        /* What is absent (a zero-length section) keeps its host address: touching it is a fault with a name. */
        ompls_entry *entry = room->items[param->index].reference.entry;
        room->addresses[i] = (uintptr_t)args[param->index].base;
        if (entry != NULL)
            room->addresses[i] += atomic_load_explicit(&entry->device, memory_order_relaxed) - atomic_load_explicit(&entry->begin, memory_order_relaxed);
        room->params[i] = &room->addresses[i];
    }
}

/* Lost, but not in the middle of a kernel, and with memory that can still be used: the host can go on. */
static bool can_fall_back(ompls_place at, const ompls_error *err) {
    if (err->fatal != OMPLS_LOST_IDLE || ompls_offload_policy() == OMPLS_OFFLOAD_MANDATORY) return false;
    if (!atomic_exchange(&at.device->lost, true))
        ompls_warn("%s:%u: region on %s: the device is lost: %s (the host goes on with its data, slowly)", at.region->file, at.region->line,
                   at.device->name, err->reason);
    return true;
}

/* Starts the kernel, what goes back behind it, and waits once.  Who looks on wants to know how long the kernel takes.  False:
   the host is to run the region. */
static bool launch(ompls_place at, void *kernel, const ompls_arg *args, const void *const *values, const ompls_launch *asked, room *room,
                   ompls_traffic *traffic) {
    const ompls_region *region = at.region;
    ompls_device *device = at.device;
    fill_params(at, args, values, room);
    ompls_launch_request request = {.region_file = region->file, .region_line = region->line, .name = region->kernel,
                                    .mode = region->mode, .nparams = region->nparams, .params = room->params, .sizes = room->sizes};
    ompls_choose_geometry(&device->properties, region->mode, asked, request.grid, request.block);
    ompls_error err;
    err.fault = err.fatal = 0;
    err.reason[0] = err.hint[0] = err.fault_file[0] = '\0';
    err.fault_line = 0;
    if (OMPLS_UNLIKELY(ompls_observing)) ompls_observed(); /* the kernel may take long, or for ever */
    uint64_t began = OMPLS_BEGIN(.kind = "launch", .at = at, .grid = request.grid, .block = request.block);
    int failed = device->module->launch(device->handle, kernel, &request, &err);
    if (OMPLS_UNLIKELY(failed != 0) && room->in_place && can_fall_back(at, &err)) return false;
    if (!failed && device->module->mark != NULL && !ompls_observing) ompls_leave_behind(traffic);
    if (OMPLS_UNLIKELY(failed != 0) || OMPLS_UNLIKELY(device->module->synchronize(device->handle, &err) != 0))
        ompls_fail_launch(at, args, values, &err);
    traffic->started = false;
    if (OMPLS_UNLIKELY(ompls_observing))
        ompls_observe(&(ompls_event){.kind = "launch", .at = at, .text = region->kernel, .grid = request.grid, .block = request.block, .began = began});
    return true;
}

static int run_in(ompls_place at, void *kernel, const ompls_arg *args, const void *const *values, const ompls_launch *asked, device_cache *cache,
                  room *room) {
    ompls_traffic traffic;
    ompls_enter_items(at, args, cache != NULL ? cache->hint : NULL, room->items, &traffic);
    if (OMPLS_UNLIKELY(kernel == NULL) || OMPLS_UNLIKELY(!launch(at, kernel, args, values, asked, room, &traffic))) {
        ompls_fall_back(&traffic, room->expanded);
        return 0;
    }
    ompls_leave_items(&traffic);
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_construct(at, OMPLS_TOOL_TARGET, false);
    if (OMPLS_UNLIKELY(ompls_observing)) ompls_observed();
    return 1;
}

enum { FEW = 16 };

static int run(ompls_place at, void *kernel, const ompls_arg *args, const void *const *values, const ompls_launch *asked, device_cache *cache,
               ompls_expanded *expanded, bool in_place) {
    const ompls_region *region = at.region;
    if (OMPLS_UNLIKELY(ompls_observing)) observe_arguments(at, args);
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_construct(at, OMPLS_TOOL_TARGET, true);
    if (OMPLS_LIKELY(region->nitems <= FEW && region->nparams <= FEW)) {
        ompls_held items[FEW];
        const void *params[FEW];
        ompls_address addresses[FEW];
        uint64_t sizes[FEW];
        return run_in(at, kernel, args, values, asked, cache, &(room){items, params, addresses, sizes, expanded, in_place});
    }
    size_t per_param = sizeof(void *) + sizeof(ompls_address) + sizeof(uint64_t);
    ompls_held *items = reserve(at, region->nitems * sizeof *items + region->nparams * per_param);
    ompls_address *addresses = (ompls_address *)&items[region->nitems];
    uint64_t *sizes = (uint64_t *)&addresses[region->nparams];
    room large = {items, (const void **)&sizes[region->nparams], addresses, sizes, expanded, in_place};
    int ran = run_in(at, kernel, args, values, asked, cache, &large);
    free(items);
    return ran;
}

int ompls_run_target(ompls_place at, void *kernel, const ompls_arg *args, const void *const *values, const ompls_launch *asked, bool in_place) {
    if (OMPLS_UNLIKELY(kernel == NULL) && atomic_load(&at.device->table.count) == 0) { /* there is only the host's data */
        ompls_drop_lists(at.region, args);
        return 0;
    }
    if (OMPLS_LIKELY(at.region->nlists == 0))
        return run(at, kernel, args, values, asked, cache_of(at, (ompls_region *)(uintptr_t)at.region), NULL, in_place);
    ompls_expanded *expanded = ompls_expand(at.region, args);
    at.region = &expanded->region;
    int ran = run(at, kernel, expanded->args, values, asked, NULL, expanded, in_place);
    if (ran) ompls_expanded_done(expanded);
    return ran;
}

int ompls_target(ompls_region *region, int64_t number, const ompls_arg *args, const void *const *values, const ompls_launch *asked) {
    ompls_place at = {ompls_resolve(region, number), region};
    if (OMPLS_UNLIKELY(at.device == NULL)) {
        ompls_drop_lists(region, args);
        return 0;
    }
    return ompls_run_target(at, ompls_kernel_of(at), args, values, asked, true);
}

void *ompls_device_address(int64_t number, const void *host) {
    ompls_device *device = ompls_resolve(NULL, number);
    ompls_address address;
    return device != NULL && ompls_find_address(device, host, 0, &address) ? (void *)(uintptr_t)address : (void *)(uintptr_t)host;
}
