/* launch.c -- how a region's kernel is started: which version, with which parameters, by how many threads; and what a construct
   remembers from one launch to the next.

   A region that has nothing to do costs what is done here, so what never changes is in the construct's cache, and what only
   some kernels need is asked of one word there. */
#include "launch.h"

#include <stdlib.h>
#include <string.h>

static void *reserve(ompls_place at, size_t size) {
    void *memory = calloc(1, size);
    if (memory == NULL) ompls_fail(at, NULL, "out of memory");
    return memory;
}

/* --- the cache --------------------------------------------------------------------------------------------------------- */

static uint8_t passed_as(ompls_param_kind kind) {
    if (kind == OMPLS_PARAM_VALUE || kind == OMPLS_PARAM_ORIGINAL) return OMPLS_PASS_VALUE;
    if (kind == OMPLS_PARAM_SIZE) return OMPLS_PASS_SIZE;
    return kind == OMPLS_PARAM_PART ? OMPLS_PASS_PART : OMPLS_PASS_ADDRESS;
}

static inline bool has_params(const ompls_device_cache *cache, ompls_param_kind kind) {
    return OMPLS_UNLIKELY((cache->kinds >> kind & 1) != 0);
}

/* A thread of the kernel has one iteration at most: there are no loops over those that its launch is about. */
static inline bool has_one_iteration(ompls_place at, const ompls_device_cache *cache) {
    return has_params(cache, OMPLS_PARAM_PART) && at.device->properties.loops == 0;
}

static ompls_device_cache *new_cache(ompls_place at) {
    const ompls_region *region = at.region;
    ompls_device_cache *made = reserve(at, sizeof *made + region->nitems * sizeof made->hint[0] + region->nparams * (sizeof(uint64_t) + 1));
    made->sizes = (uint64_t *)(uintptr_t)&made->hint[region->nitems];
    made->passed = (uint8_t *)&made->sizes[region->nparams];
    const ompls_properties *has = &at.device->properties;
    for (uint32_t i = 0; i < region->nparams; i++) {
        const ompls_param_desc *param = &region->params[i];
        made->kinds |= (uint32_t)1 << param->kind;
        made->passed[i] = passed_as(param->kind);
        made->sizes[i] = made->passed[i] == OMPLS_PASS_ADDRESS ? sizeof(ompls_address) : param->size;
    }
    bool once = has_one_iteration(at, made);
    atomic_init(&made->limits.max_threads, has->max_threads);
    made->limits.max_teams = has->max_teams;
    made->limits.default_threads = has->default_threads;
    made->limits.default_teams = has->default_teams;
    made->limits.many_teams = once ? 0 : has->many_teams; /* then the grid is as large as it can be */
    made->limits.row_threads = once ? 0 : has->row_threads;
    return made;
}

/* Threads that meet in a construct for the first time both build a cache; one of them stays. */
ompls_device_cache *ompls_make_cache(ompls_place at) {
    _Atomic(struct ompls_region_cache *) *slot = (_Atomic(struct ompls_region_cache *) *)(uintptr_t)&at.region->cache;
    struct ompls_region_cache *cache = atomic_load_explicit(slot, memory_order_acquire);
    if (cache == NULL) {
        int count = ompls_device_count();
        struct ompls_region_cache *fresh = reserve(at, sizeof *fresh + (size_t)count * sizeof fresh->device[0]);
        fresh->ndevices = count;
        if (atomic_compare_exchange_strong(slot, &cache, fresh)) cache = fresh;
        else free(fresh);
    }
    ompls_device_cache *mine = atomic_load_explicit(&cache->device[at.device->number], memory_order_acquire);
    if (mine == NULL) {
        ompls_device_cache *fresh = new_cache(at);
        if (atomic_compare_exchange_strong(&cache->device[at.device->number], &mine, fresh)) mine = fresh;
        else free(fresh);
    }
    return mine;
}

_Atomic(ompls_entry *) *ompls_hints_of(ompls_place at) {
    return ompls_cache_of(at)->hint;
}

/* --- the kernel -------------------------------------------------------------------------------------------------------- */

/* Of all versions of a kernel the fewest count. */
static void find_most_threads(ompls_place at, ompls_device_cache *cache, void *kernel) {
    ompls_device *device = at.device;
    ompls_error err = {0};
    uint32_t most = 0, before = atomic_load(&cache->limits.max_threads);
    if (device->module->most_threads != NULL && device->module->most_threads(device->handle, kernel, &most, &err) != 0)
        ompls_fail_module(at, "the kernel's threads", &err);
    if (most != 0 && (before == 0 || most < before)) atomic_store(&cache->limits.max_threads, most);
}

static void *ask_for_kernel(ompls_place at, ompls_device_cache *cache) {
    ompls_device *device = at.device;
    void *kernel;
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
        ompls_warn("%s:%u: region on %s: no kernel: %s (%s)", at.region->file, at.region->line, device->name, err.reason,
                   err.fatal != 0 ? "the host runs it, if no data are lost" : "it runs on the host");
    return NULL;
}

void *ompls_find_kernel(ompls_place at, ompls_device_cache *cache) {
    if (OMPLS_UNLIKELY(atomic_load_explicit(&at.device->lost, memory_order_relaxed))) return NULL;
    void *kernel = atomic_load_explicit(&cache->kernel, memory_order_acquire);
    return OMPLS_LIKELY(kernel != NULL) ? kernel : ask_for_kernel(at, cache);
}

/* --- parameters -------------------------------------------------------------------------------------------------------- */

/* What is absent (a zero-length section) keeps its host address: touching it is a fault with a name. */
static inline ompls_address base_on_device(const ompls_arg *arg, ompls_entry *entry) {
    uintptr_t base = (uintptr_t)arg->base;
    if (entry == NULL) return base;
    return base + atomic_load_explicit(&entry->device, memory_order_relaxed) - atomic_load_explicit(&entry->begin, memory_order_relaxed);
}

static inline void fill_params(ompls_run *run) {
    const ompls_param_desc *param = run->at.region->params;
    const ompls_held *items = run->items;
    ompls_address *address = run->addresses;
    const void **to = run->params;
    for (const ompls_param_desc *end = param + run->at.region->nparams; param < end; param++, address++, to++) {
        uint32_t index = param->index;
        if (OMPLS_LIKELY(ompls_is_address(param))) {
            *address = base_on_device(&run->args[index], items[index].reference.entry);
            *to = address;
        } else if (param->kind == OMPLS_PARAM_VALUE || param->kind == OMPLS_PARAM_SIZE) {
            *to = run->values[index];
        } else if (param->kind == OMPLS_PARAM_POINTER) {
            uintptr_t pointer;
            memcpy(&pointer, run->values[index], sizeof pointer);
            *address = pointer;
            *to = address;
        } else if (param->kind == OMPLS_PARAM_PART) {
            ompls_part *part = &run->parts[index];
            *to = param->size == sizeof part->narrow ? (const void *)part->narrow : part->wide;
        }
    }
}

/* For OMPLS_PARAM_ORIGINAL, behind the copies that bring the items. */
static void get_originals(ompls_run *run) {
    ompls_place at = run->at;
    size_t size = 0;
    for (uint32_t i = 0; i < at.region->nparams; i++)
        if (at.region->params[i].kind == OMPLS_PARAM_ORIGINAL) size += at.region->params[i].size;
    char *to = run->originals = reserve(at, size);
    for (uint32_t i = 0; i < at.region->nparams; i++) {
        const ompls_param_desc *param = &at.region->params[i];
        if (param->kind != OMPLS_PARAM_ORIGINAL) continue;
        const ompls_arg *arg = &run->args[param->index];
        ompls_entry *entry = run->items[param->index].reference.entry;
        if (entry == NULL || entry->lent) memcpy(to, arg->base, param->size);
        else ompls_copy_out(at, at.region->items[param->index].name, to, base_on_device(arg, entry), param->size);
        run->params[i] = to;
        to += param->size;
    }
}

/* Of the kernel's one launch, or of several: each leaves the memory as it has found it. */
static void get_partials(ompls_run *run) {
    const ompls_region *region = run->at.region;
    const uint32_t *grid = run->request.grid;
    uint64_t teams = (uint64_t)grid[0] * grid[1] * grid[2];
    for (uint32_t i = 0; i < region->nparams; i++) {
        if (region->params[i].kind != OMPLS_PARAM_PARTIALS) continue;
        run->addresses[i] = ompls_take_partials(run->at, region->params[i].index, teams, &run->partials);
        run->params[i] = &run->addresses[i];
    }
}

/* What is asked to be near to the kernel; 0: nothing is, or the device has no such memory.  The caller frees it. */
static ompls_section *sections_of(const ompls_run *run) {
    const ompls_region *region = run->at.region;
    ompls_section *found = NULL;
    for (uint32_t i = 0; i < region->nparams; i++) {
        const ompls_param_desc *param = &region->params[i];
        if (!ompls_is_address(param) || (region->items[param->index].flags & OMPLS_MAP_LOCAL) == 0) continue;
        if (run->items[param->index].reference.entry == NULL) continue; /* it is not on the device */
        const ompls_arg *arg = &run->args[param->index];
        if (found == NULL) found = reserve(run->at, region->nparams * sizeof *found);
        found[i] = (ompls_section){region->items[param->index].name, (const char *)arg->begin - (const char *)arg->base, arg->size,
                                   param->kind == OMPLS_PARAM_READ};
    }
    return found;
}

/* --- the version for what does not overlap (ompls.h, OMPLS_PARAM_READ) --------------------------------------------------- */

static uint64_t size_of(ompls_entry *entry) {
    return atomic_load_explicit(&entry->end, memory_order_relaxed) - atomic_load_explicit(&entry->begin, memory_order_relaxed);
}

static bool overlap(ompls_entry *one, ompls_entry *other) {
    ompls_address first = atomic_load_explicit(&one->device, memory_order_relaxed);
    ompls_address second = atomic_load_explicit(&other->device, memory_order_relaxed);
    return one == other || (first < second + size_of(other) && second < first + size_of(one));
}

/* Whether nobody writes meanwhile where the kernel only reads: it does not itself, the memory is none of the host's, and no
   deferred construct runs beside this one.  A host thread that writes there at the same time races with the kernel, to which
   nothing says when that has been done. */
static bool stays_apart(const ompls_run *run) {
    const ompls_region *region = run->at.region;
    for (uint32_t r = 0; r < region->nparams; r++) {
        if (region->params[r].kind != OMPLS_PARAM_READ) continue;
        ompls_entry *read = run->items[region->params[r].index].reference.entry;
        if (read == NULL || read->lent) return false;
        for (uint32_t w = 0; w < region->nparams; w++) {
            if (region->params[w].kind != OMPLS_PARAM_ADDRESS) continue;
            ompls_entry *written = run->items[region->params[w].index].reference.entry;
            if (written != NULL && overlap(read, written)) return false; /* 0: it is not on the device */
        }
    }
    return !ompls_shared_memory && atomic_load(&run->at.device->deferred) == (run->in_place ? 0 : 1);
}

static void *restricted_of(const ompls_run *run) {
    ompls_place at = run->at;
    void *known = atomic_load_explicit(&run->cache->restricted, memory_order_acquire);
    if (OMPLS_LIKELY(known != NULL)) return known;
    static const char suffix[] = "_restrict";
    size_t length = strlen(at.region->kernel);
    char *name = reserve(at, length + sizeof suffix); /* for the life of the program: the device may keep it */
    memcpy(name, at.region->kernel, length);
    memcpy(name + length, suffix, sizeof suffix);
    ompls_error err = {0};
    if (at.device->module->find_kernel(at.device->handle, at.device->loaded, name, &known, &err) != 0) {
        known = run->kernel;
        free(name);
    } else
        find_most_threads(at, run->cache, known);
    atomic_store_explicit(&run->cache->restricted, known, memory_order_release);
    return known;
}

/* --- the launch -------------------------------------------------------------------------------------------------------- */

/* Lost, but not in the middle of a kernel, and with memory that can still be used: the host can go on. */
static bool can_fall_back(ompls_place at, const ompls_error *err) {
    if (err->fatal != OMPLS_LOST_IDLE || ompls_offload_policy() == OMPLS_OFFLOAD_MANDATORY) return false;
    if (!atomic_exchange(&at.device->lost, true))
        ompls_warn("%s:%u: region on %s: the device is lost: %s (the host goes on with its data, slowly)", at.region->file, at.region->line,
                   at.device->name, err->reason);
    return true;
}

_Thread_local const ompls_run *ompls_running;

static int start(ompls_run *run) {
    ompls_running = run;
    int failed = run->at.device->module->launch(run->at.device->handle, run->kernel, &run->request, &run->err);
    ompls_running = NULL;
    return failed;
}

/* Starts a kernel whose threads have one iteration at most, as often as it takes to reach all of them: not at all when there are
   none.  True when it has been started. */
static bool start_parts(ompls_run *run, int *failed) {
    const ompls_launch *asked = run->asked;
    uint64_t first[3] = {0, 0, 0}, all[3] = {1, 1, 1}, each[3] = {1, 1, 1};
    bool begun = false, once = has_one_iteration(run->at, run->cache);
    for (uint32_t d = 0; asked != NULL && d < (asked->dimensions > 1 ? asked->dimensions : 1); d++) {
        all[d] = asked->dimensions > 1 ? asked->trips[d] : asked->trip_count;
        each[d] = once ? (uint64_t)run->request.grid[d] * run->request.block[d] : all[d];
    }
    if (all[0] == 0 || all[1] == 0 || all[2] == 0) return false;
    for (;;) {
        for (int d = 0; d < 3; d++) {
            uint64_t left = all[d] - first[d], count = left < each[d] ? left : each[d];
            run->parts[d] = (ompls_part){{(uint32_t)first[d], (uint32_t)count}, {first[d], count}};
        }
        if ((*failed = start(run)) != 0) return begun;
        begun = true;
        int d = 0;
        while (d < 3 && (first[d] += each[d]) >= all[d]) first[d++] = 0;
        if (d == 3) return true;
    }
}

/* All of what a device is told but the geometry. */
static inline void fill_request(ompls_run *run) {
    const ompls_region *region = run->at.region;
    ompls_launch_request *request = &run->request;
    request->region_file = region->file;
    request->region_line = region->line;
    request->name = region->kernel;
    request->id = region->id;
    request->mode = region->mode;
    request->shared_bytes = 0;
    request->nparams = region->nparams;
    request->params = run->params;
    request->sizes = run->cache->sizes;
    request->kinds = run->cache->passed;
    request->sections = OMPLS_UNLIKELY(run->at.device->properties.sections != 0) ? sections_of(run) : NULL;
}

bool ompls_prepare_kernel(ompls_run *run, bool *empty) {
    const ompls_launch *asked = run->asked;
    const ompls_device_cache *cache = run->cache;
    *empty = false;
    if (has_params(cache, OMPLS_PARAM_ORIGINAL) || has_params(cache, OMPLS_PARAM_PARTIALS) || has_one_iteration(run->at, cache)) return false;
    if (run->at.device->properties.sections != 0) return false;
    for (uint32_t d = 0; d < 3; d++) {
        uint64_t all = asked == NULL || d >= (asked->dimensions > 1 ? asked->dimensions : 1) ? 1 : asked->dimensions > 1 ? asked->trips[d] : asked->trip_count;
        run->parts[d] = (ompls_part){{0, (uint32_t)all}, {0, all}};
        *empty = *empty || (has_params(cache, OMPLS_PARAM_PART) && all == 0);
    }
    if (has_params(cache, OMPLS_PARAM_READ) && stays_apart(run)) run->kernel = restricted_of(run);
    fill_params(run);
    fill_request(run);
    ompls_choose_geometry(&cache->limits, run->at.region->mode, asked, run->request.grid, run->request.block);
    return true;
}

bool ompls_start_kernel(ompls_run *run) {
    const ompls_device_cache *cache = run->cache;
    ompls_launch_request *request = &run->request;
    bool begun = false;
    run->originals = NULL;
    run->partials = NULL;
    ompls_no_error(&run->err);
    if (has_params(cache, OMPLS_PARAM_READ) && stays_apart(run)) run->kernel = restricted_of(run);
    if (has_params(cache, OMPLS_PARAM_ORIGINAL)) get_originals(run);
    fill_params(run);
    fill_request(run);
    ompls_choose_geometry(&cache->limits, run->at.region->mode, run->asked, request->grid, request->block);
    if (has_params(cache, OMPLS_PARAM_PARTIALS)) get_partials(run);
    if (OMPLS_UNLIKELY(ompls_observing)) ompls_observed(); /* the kernel may take long, or for ever */
    run->began = OMPLS_BEGIN(.kind = "launch", .at = run->at, .grid = request->grid, .block = request->block);
    int failed = 0;
    if (has_params(cache, OMPLS_PARAM_PART)) begun = start_parts(run, &failed);
    else failed = start(run);
    if (OMPLS_UNLIKELY(request->sections != NULL)) free((void *)(uintptr_t)request->sections);
    if (OMPLS_LIKELY(failed == 0)) return true;
    if (begun || !run->in_place || !can_fall_back(run->at, &run->err)) ompls_fail_launch(run->at, run->args, run->values, &run->err);
    free(run->originals);
    return false;
}

void ompls_await_kernel(ompls_run *run) {
    ompls_device *device = run->at.device;
    if (OMPLS_UNLIKELY(device->module->synchronize(device->handle, &run->err) != 0)) ompls_fail_launch(run->at, run->args, run->values, &run->err);
    if (OMPLS_UNLIKELY(run->originals != NULL)) free(run->originals);
    if (OMPLS_UNLIKELY(run->partials != NULL)) ompls_return_partials(device, run->partials);
    if (OMPLS_LIKELY(!ompls_observing)) return;
    const ompls_launch_request *request = &run->request;
    ompls_observe(&(ompls_event){.kind = "launch", .at = run->at, .text = request->name, .grid = request->grid, .block = request->block, .began = run->began});
}
