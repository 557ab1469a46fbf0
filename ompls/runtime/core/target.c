/* target.c -- a target region: its launch geometry, its kernel, and the cache that it keeps.

   Each construct has a cache: per device, the resolved kernel and for every item the entry found last time.  So a region
   whose data is present costs two atomic operations an item and the device's launch. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    _Atomic(void *) kernel;
    _Atomic(void *) restricted; /* the version for what does not overlap; `kernel` where the image has none */
    _Atomic uint32_t most_threads; /* of a team of the kernel, 0: as many as the device has */
    _Atomic(ompls_entry *) hint[];
} device_cache;

struct ompls_region_cache {
    int ndevices;
    _Atomic(device_cache *) device[];
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

_Atomic(ompls_entry *) *ompls_hints_of(ompls_place at, ompls_region *region) {
    return cache_of(at, region)->hint;
}

/* --- launch ---------------------------------------------------------------------------------------------------------- */

/* Of all versions of a kernel the fewest count. */
static void find_most_threads(ompls_place at, device_cache *cache, void *kernel) {
    ompls_device *device = at.device;
    ompls_error err = {0};
    uint32_t most = 0, before = atomic_load_explicit(&cache->most_threads, memory_order_relaxed);
    if (device->module->most_threads != NULL && device->module->most_threads(device->handle, kernel, &most, &err) != 0)
        ompls_fail_module(at, "the kernel's threads", &err);
    if (most != 0 && (before == 0 || most < before)) atomic_store_explicit(&cache->most_threads, most, memory_order_relaxed);
}

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
        find_most_threads(at, cache, kernel);
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

/* Iterations of a loop along one dimension, the first and how many, as OMPLS_PARAM_PART hands them to a kernel: the size of the
   parameter says which. */
typedef struct {
    uint32_t narrow[2];
    uint64_t wide[2];
} part;

/* What a launch needs room for. */
typedef struct {
    part parts[3];
    ompls_launch_request request;
    uint64_t began;
    ompls_held *items;
    ompls_partials *partials; /* that the launch has taken */
    char *originals; /* what OMPLS_PARAM_ORIGINAL is about; 0 without one */
    const void **params;
    ompls_address *addresses;
    uint64_t *sizes;
    uint8_t *kinds;
    ompls_expanded *expanded; /* may be 0 */
    bool in_place;            /* the caller can run the region */
} room;

/* What is absent (a zero-length section) keeps its host address: touching it is a fault with a name. */
static inline ompls_address base_on_device(const ompls_arg *arg, ompls_entry *entry) {
    uintptr_t base = (uintptr_t)arg->base;
    if (entry == NULL) return base;
    return base + atomic_load_explicit(&entry->device, memory_order_relaxed) - atomic_load_explicit(&entry->begin, memory_order_relaxed);
}

static uint64_t size_of(ompls_entry *entry) {
    return atomic_load_explicit(&entry->end, memory_order_relaxed) - atomic_load_explicit(&entry->begin, memory_order_relaxed);
}

/* For OMPLS_PARAM_ORIGINAL, behind the copies that bring the items. */
static void get_originals(ompls_place at, const ompls_arg *args, room *room) {
    size_t size = 0;
    for (uint32_t i = 0; i < at.region->nparams; i++)
        if (at.region->params[i].kind == OMPLS_PARAM_ORIGINAL) size += at.region->params[i].size;
    if (OMPLS_LIKELY(size == 0)) return;
    char *to = room->originals = reserve(at, size);
    for (uint32_t i = 0; i < at.region->nparams; i++) {
        const ompls_param_desc *param = &at.region->params[i];
        if (param->kind != OMPLS_PARAM_ORIGINAL) continue;
        const ompls_arg *arg = &args[param->index];
        ompls_entry *entry = room->items[param->index].reference.entry;
        if (entry == NULL || entry->lent) memcpy(to, arg->base, param->size);
        else ompls_copy_out(at, at.region->items[param->index].name, to, base_on_device(arg, entry), param->size);
        room->params[i] = to;
        to += param->size;
    }
}

/* Whether each thread of the kernel has one iteration at most. */
static bool fill_params(ompls_place at, const ompls_arg *args, const void *const *values, room *room) {
    const ompls_region *region = at.region;
    bool covered = false;
    for (uint32_t i = 0; i < region->nparams; i++) {
        const ompls_param_desc *param = &region->params[i];
        uint32_t index = param->index;
        if (param->kind == OMPLS_PARAM_VALUE || param->kind == OMPLS_PARAM_SIZE) {
            room->kinds[i] = param->kind == OMPLS_PARAM_VALUE ? OMPLS_PASS_VALUE : OMPLS_PASS_SIZE;
            room->sizes[i] = param->size;
            room->params[i] = values[index];
            continue;
        }
        if (param->kind == OMPLS_PARAM_PART) {
            covered = true;
            room->kinds[i] = OMPLS_PASS_PART;
            part *part = &room->parts[index];
            room->sizes[i] = param->size;
            room->params[i] = param->size == sizeof part->narrow ? (const void *)part->narrow : part->wide;
            continue;
        }
        if (param->kind == OMPLS_PARAM_ORIGINAL) {
            room->kinds[i] = OMPLS_PASS_VALUE;
            room->sizes[i] = param->size;
            continue;
        }
        uintptr_t pointer;
        if (param->kind == OMPLS_PARAM_POINTER) memcpy(&pointer, values[index], sizeof pointer), room->addresses[i] = pointer;
        else if (ompls_is_address(param)) room->addresses[i] = base_on_device(&args[index], room->items[index].reference.entry);
        room->kinds[i] = OMPLS_PASS_ADDRESS;
        room->sizes[i] = sizeof room->addresses[i];
        room->params[i] = &room->addresses[i];
    }
    return covered;
}

/* Of the kernel's one launch, or of several: each leaves the memory as it has found it. */
static void get_partials(ompls_place at, const uint32_t *grid, room *room) {
    uint64_t teams = (uint64_t)grid[0] * grid[1] * grid[2];
    for (uint32_t i = 0; i < at.region->nparams; i++)
        if (OMPLS_UNLIKELY(at.region->params[i].kind == OMPLS_PARAM_PARTIALS))
            room->addresses[i] = ompls_take_partials(at, at.region->params[i].index, teams, &room->partials);
}

/* --- the version for what does not overlap (ompls.h, OMPLS_PARAM_READ) --------------------------------------------------- */

static bool overlap(ompls_entry *one, ompls_entry *other) {
    ompls_address first = atomic_load_explicit(&one->device, memory_order_relaxed);
    ompls_address second = atomic_load_explicit(&other->device, memory_order_relaxed);
    return one == other || (first < second + size_of(other) && second < first + size_of(one));
}

/* Whether the kernel only reads somewhere, and nobody writes there meanwhile: it does not itself, the memory is none of the
   host's, and no deferred construct runs beside this one.  A host thread that writes there at the same time races with the
   kernel, to which nothing says when that has been done. */
static bool stays_apart(ompls_place at, const room *room) {
    const ompls_region *region = at.region;
    bool some = false;
    for (uint32_t r = 0; r < region->nparams; r++) {
        if (OMPLS_LIKELY(region->params[r].kind != OMPLS_PARAM_READ)) continue;
        ompls_entry *read = room->items[region->params[r].index].reference.entry;
        if (read == NULL || read->lent) return false;
        for (uint32_t w = 0; w < region->nparams; w++) {
            if (region->params[w].kind != OMPLS_PARAM_ADDRESS) continue;
            ompls_entry *written = room->items[region->params[w].index].reference.entry;
            if (written != NULL && overlap(read, written)) return false; /* 0: it is not on the device */
        }
        some = true;
    }
    return some && !ompls_shared_memory && atomic_load(&at.device->deferred) == (room->in_place ? 0 : 1);
}

static void *version_of(ompls_place at, void *kernel, device_cache *cache, const room *room) {
    if (cache == NULL || !stays_apart(at, room)) return kernel;
    void *known = atomic_load_explicit(&cache->restricted, memory_order_acquire);
    if (OMPLS_LIKELY(known != NULL)) return known;
    static const char suffix[] = "_restrict";
    size_t length = strlen(at.region->kernel);
    char *name = reserve(at, length + sizeof suffix); /* for the life of the program: the device may keep it */
    memcpy(name, at.region->kernel, length);
    memcpy(name + length, suffix, sizeof suffix);
    ompls_error err = {0};
    if (at.device->module->find_kernel(at.device->handle, at.device->loaded, name, &known, &err) != 0) {
        known = kernel;
        free(name);
    } else
        find_most_threads(at, cache, known);
    atomic_store_explicit(&cache->restricted, known, memory_order_release);
    return known;
}

/* Lost, but not in the middle of a kernel, and with memory that can still be used: the host can go on. */
static bool can_fall_back(ompls_place at, const ompls_error *err) {
    if (err->fatal != OMPLS_LOST_IDLE || ompls_offload_policy() == OMPLS_OFFLOAD_MANDATORY) return false;
    if (!atomic_exchange(&at.device->lost, true))
        ompls_warn("%s:%u: region on %s: the device is lost: %s (the host goes on with its data, slowly)", at.region->file, at.region->line,
                   at.device->name, err->reason);
    return true;
}

/* How many iterations the launches of a kernel reach along each dimension, all of them and one launch. */
typedef struct {
    uint64_t all[3], each[3];
} reach;

/* Grid and block.  Without loops a thread has one iteration of a `covered` kernel: then the grid is as large as it can be. */
static reach choose(ompls_place at, const ompls_launch *asked, bool covered, ompls_launch_request *request) {
    ompls_properties has = at.device->properties;
    uint32_t most = atomic_load_explicit(&cache_of(at, (ompls_region *)(uintptr_t)at.region)->most_threads, memory_order_relaxed);
    if (most != 0 && (has.max_threads == 0 || most < has.max_threads)) has.max_threads = most;
    bool once = covered && has.loops == 0;
    if (once) has.many_teams = has.row_threads = 0;
    ompls_choose_geometry(&has, at.region->mode, asked, request->grid, request->block);
    reach found = {{1, 1, 1}, {1, 1, 1}};
    for (uint32_t d = 0; covered && asked != NULL && d < (asked->dimensions > 1 ? asked->dimensions : 1); d++) {
        found.all[d] = asked->dimensions > 1 ? asked->trips[d] : asked->trip_count;
        found.each[d] = once ? (uint64_t)request->grid[d] * request->block[d] : found.all[d];
    }
    return found;
}

/* Starts the kernel, as often as it takes to reach all iterations: not at all when there are none. */
static int start(ompls_place at, void *kernel, const ompls_launch_request *request, const reach *reach, room *room, bool *begun, ompls_error *err) {
    uint64_t first[3] = {0, 0, 0};
    if (reach->all[0] == 0 || reach->all[1] == 0 || reach->all[2] == 0) return 0;
    for (;;) {
        for (int d = 0; d < 3; d++) {
            uint64_t left = reach->all[d] - first[d], count = left < reach->each[d] ? left : reach->each[d];
            room->parts[d] = (part){{(uint32_t)first[d], (uint32_t)count}, {first[d], count}};
        }
        if (at.device->module->launch(at.device->handle, kernel, request, err) != 0) return 1;
        *begun = true;
        int d = 0;
        while (d < 3 && (first[d] += reach->each[d]) >= reach->all[d]) first[d++] = 0;
        if (d == 3) return 0;
    }
}

/* What is asked to be near to the kernel; 0: nothing is, or the device has no such memory.  The caller frees it. */
static ompls_section *sections_of(ompls_place at, const ompls_arg *args, const room *room) {
    const ompls_region *region = at.region;
    ompls_section *found = NULL;
    for (uint32_t i = 0; at.device->properties.sections && i < region->nparams; i++) {
        const ompls_param_desc *param = &region->params[i];
        if (!ompls_is_address(param) || (region->items[param->index].flags & OMPLS_MAP_LOCAL) == 0) continue;
        if (room->items[param->index].reference.entry == NULL) continue; /* it is not on the device */
        const ompls_arg *arg = &args[param->index];
        if (found == NULL) memset(found = reserve(at, region->nparams * sizeof *found), 0, region->nparams * sizeof *found);
        found[i] = (ompls_section){region->items[param->index].name, (const char *)arg->begin - (const char *)arg->base, arg->size,
                                   param->kind == OMPLS_PARAM_READ};
    }
    return found;
}

/* Faster than to set all of it. */
static void clear(ompls_error *err) {
    err->fault = err->fatal = 0;
    err->reason[0] = err->hint[0] = err->fault_file[0] = '\0', err->detail = NULL;
    err->fault_line = 0;
}

/* Starts the kernel, and what goes back behind it.  False: the host is to run the region. */
static bool launch(ompls_place at, void *kernel, const ompls_arg *args, const void *const *values, const ompls_launch *asked, room *room,
                   ompls_traffic *traffic) {
    const ompls_region *region = at.region;
    ompls_launch_request *request = &room->request;
    get_originals(at, args, room);
    bool covered = fill_params(at, args, values, room), begun = false;
    *request = (ompls_launch_request){.region_file = region->file, .region_line = region->line, .name = region->kernel, .id = region->id,
                                    .mode = region->mode, .nparams = region->nparams, .params = room->params, .sizes = room->sizes,
                                    .kinds = room->kinds, .sections = sections_of(at, args, room)};
    reach reach = choose(at, asked, covered, request);
    get_partials(at, request->grid, room);
    ompls_error err;
    clear(&err);
    if (OMPLS_UNLIKELY(ompls_observing)) ompls_observed(); /* the kernel may take long, or for ever */
    room->began = OMPLS_BEGIN(.kind = "launch", .at = at, .grid = request->grid, .block = request->block);
    int failed = start(at, kernel, request, &reach, room, &begun, &err);
    free((void *)(uintptr_t)request->sections);
    if (OMPLS_UNLIKELY(failed != 0) && !begun && room->in_place && can_fall_back(at, &err)) return false;
    if (OMPLS_UNLIKELY(failed != 0)) ompls_fail_launch(at, args, values, &err);
    if (at.device->module->mark != NULL && !ompls_observing) ompls_leave_behind(traffic);
    return true;
}

/* Waits once.  Who looks on wants to know how long the kernel takes. */
static void await_launch(ompls_place at, const ompls_arg *args, const void *const *values, const room *room) {
    ompls_error err;
    clear(&err);
    if (OMPLS_UNLIKELY(at.device->module->synchronize(at.device->handle, &err) != 0)) ompls_fail_launch(at, args, values, &err);
    ompls_return_partials(at.device, room->partials);
    if (OMPLS_LIKELY(!ompls_observing)) return;
    const ompls_launch_request *request = &room->request;
    ompls_observe(&(ompls_event){.kind = "launch", .at = at, .text = request->name, .grid = request->grid, .block = request->block, .began = room->began});
}

static int run_in(ompls_place at, void *kernel, const ompls_arg *args, const void *const *values, const ompls_launch *asked, device_cache *cache,
                  room *room) {
    ompls_traffic traffic;
    ompls_enter_items(at, args, cache != NULL ? cache->hint : NULL, room->items, &traffic);
    if (OMPLS_UNLIKELY(kernel == NULL) ||
        OMPLS_UNLIKELY(!launch(at, version_of(at, kernel, cache, room), args, values, asked, room, &traffic))) {
        free(room->originals);
        ompls_fall_back(&traffic, room->expanded);
        return 0;
    }
    await_launch(at, args, values, room);
    free(room->originals);
    traffic.started = false;
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
        uint8_t kinds[FEW];
        return run_in(at, kernel, args, values, asked, cache, &(room){.items = items, .params = params, .addresses = addresses, .sizes = sizes, .kinds = kinds,
                                                                              .expanded = expanded, .in_place = in_place});
    }
    size_t per_param = sizeof(void *) + sizeof(ompls_address) + sizeof(uint64_t) + sizeof(uint8_t);
    ompls_held *items = reserve(at, region->nitems * sizeof *items + region->nparams * per_param);
    ompls_address *addresses = (ompls_address *)&items[region->nitems];
    uint64_t *sizes = (uint64_t *)&addresses[region->nparams];
    const void **params = (const void **)&sizes[region->nparams];
    room large = {.items = items, .params = params, .addresses = addresses, .sizes = sizes, .kinds = (uint8_t *)&params[region->nparams],
                  .expanded = expanded, .in_place = in_place};
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
    clear(&err);
    if (device->module->send(device->handle, &begun->ticket, &err) != 0) fail_begun(begun, &err);
    return begun;
}

ompls_begun *ompls_begin_target(ompls_place at, void *kernel, const ompls_arg *args, const void *const *values, const ompls_launch *asked) {
    ompls_begun *begun = at.region->nitems <= FEW && at.region->nparams <= FEW ? malloc(sizeof *begun) : NULL;
    if (begun == NULL) return NULL;
    device_cache *cache = cache_of(at, (ompls_region *)(uintptr_t)at.region);
    const void *params[FEW];
    ompls_address addresses[FEW];
    uint64_t sizes[FEW];
    uint8_t kinds[FEW];
    room room = {.items = begun->items, .params = params, .addresses = addresses, .sizes = sizes, .kinds = kinds};
    begun->at = at, begun->args = args, begun->values = values, begun->copies = false;
    atomic_fetch_add(&at.device->deferred, 1);
    ompls_enter_items(at, args, cache->hint, begun->items, &begun->traffic);
    launch(at, version_of(at, kernel, cache, &room), args, values, asked, &room, &begun->traffic);
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
    clear(&err);
    if (at.device->module->receive(at.device->handle, begun->ticket, &err) != 0) fail_begun(begun, &err);
}

void ompls_end_begun(ompls_begun *begun) {
    ompls_receive(begun);
    begun->traffic.started = false;
    if (!begun->copies) ompls_leave_items(&begun->traffic);
    atomic_fetch_sub(&begun->at.device->deferred, 1);
    free(begun);
}

int ompls_target(ompls_region *region, int64_t number, const ompls_arg *args, const void *const *values, const ompls_launch *asked) {
    ompls_place at = {ompls_resolve(region, number), region};
    if (OMPLS_UNLIKELY(at.device == NULL)) {
        ompls_drop_lists(region, args);
        return 0;
    }
    bool counted = ompls_count_region(at.device);
    int ran = ompls_run_target(at, ompls_kernel_of(at), args, values, asked, true);
    ompls_region_done(at.device, counted);
    return ran;
}

void *ompls_device_address(int64_t number, const void *host) {
    ompls_device *device = ompls_resolve(NULL, number);
    ompls_address address;
    return device != NULL && ompls_find_address(device, host, 0, &address) ? (void *)(uintptr_t)address : (void *)(uintptr_t)host;
}
