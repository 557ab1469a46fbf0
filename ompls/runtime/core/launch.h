/* launch.h -- what target.c and launch.c share: what a construct remembers, and what a launch needs. */
#ifndef OMPLS_LAUNCH_H
#define OMPLS_LAUNCH_H
#include "core.h"

/* What a construct remembers of one device: what it has found there, and what of its kernel's parameters never changes. */
typedef struct {
    _Atomic(void *) kernel;
    _Atomic(void *) restricted;    /* the version for what does not overlap; `kernel` where the image has none */
    ompls_limits limits;           /* of all versions of the kernel */
    uint32_t kinds;                /* bit k: some parameter is of kind k (ompls_param_kind) */
    uint64_t *sizes;               /* of the parameters, as a device is told them */
    uint8_t *passed;               /* OMPLS_PASS_… of each */
    _Atomic(ompls_entry *) hint[]; /* the entry that each item had last time */
} ompls_device_cache;

struct ompls_region_cache {
    int ndevices;
    _Atomic(ompls_device_cache *) device[];
};

ompls_device_cache *ompls_make_cache(ompls_place at);

static inline ompls_device_cache *ompls_cache_of(ompls_place at) {
    _Atomic(struct ompls_region_cache *) *slot = (_Atomic(struct ompls_region_cache *) *)(uintptr_t)&at.region->cache;
    struct ompls_region_cache *cache = atomic_load_explicit(slot, memory_order_acquire);
    if (OMPLS_UNLIKELY(cache == NULL)) return ompls_make_cache(at);
    ompls_device_cache *mine = atomic_load_explicit(&cache->device[at.device->number], memory_order_acquire);
    return OMPLS_LIKELY(mine != NULL) ? mine : ompls_make_cache(at);
}

/* Iterations of a loop along one dimension, the first and how many, as OMPLS_PARAM_PART hands them to a kernel: the size of the
   parameter says which. */
typedef struct {
    uint32_t narrow[2];
    uint64_t wide[2];
} ompls_part;

/* One run of a region.  Nobody clears it: that would cost as much as all the rest of a region without data. */
typedef struct {
    ompls_place at;
    const ompls_arg *args;
    const void *const *values;
    const ompls_launch *asked; /* may be 0 */
    ompls_expanded *expanded;  /* may be 0 */
    bool in_place;             /* the caller can run the region */
    ompls_device_cache *cache;
    void *kernel;
    /* Room for the items, and for what the kernel's parameters are: */
    ompls_held *items;
    const void **params;
    ompls_address *addresses;
    /* Set by the launch: */
    char *originals;          /* what OMPLS_PARAM_ORIGINAL is about; 0 without one */
    ompls_partials *partials; /* that it has taken */
    uint64_t began;
    ompls_launch_request request;
    ompls_part parts[3];
    ompls_error err;
} ompls_run;

/* What this thread is launching: on `host` the kernel has it as long as it runs. */
extern _Thread_local const ompls_run *ompls_running;

/* 0 when the image has no such kernel, or the device runs no more. */
void *ompls_find_kernel(ompls_place at, ompls_device_cache *cache);
/* Starts the kernel behind what has been brought to the device.  False: the host is to run the region. */
bool ompls_start_kernel(ompls_run *run);
/* The same without starting it: what `request` says of a kernel that is started later, when all that it needs is there; what
   `parts` and `values` hold must stay.  False: it needs more than that.  *empty: it has nothing to do. */
bool ompls_prepare_kernel(ompls_run *run, bool *empty);
/* Waits for its end.  Who looks on wants to know how long it takes. */
void ompls_await_kernel(ompls_run *run);
#endif
