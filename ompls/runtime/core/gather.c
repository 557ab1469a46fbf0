/* gather.c -- what comes to a device and goes from it in one construct: allocations and copies.

   A device may prefer small list items together (ompls_properties.gather): those of one construct then share an allocation,
   are copied to it from one staging buffer, and come back in one copy.  The allocation is freed with its last entry. */
#include "core.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 256 }; /* as an allocation of CUDA */

/* An allocation that several entries share. */
struct ompls_block {
    ompls_address address;
    _Atomic uint32_t entries;
};
typedef struct ompls_block block;

/* A buffer of the host beside the copy to or from it.  What came back is brought to `pieces` of the program's memory. */
struct ompls_staging {
    struct ompls_staging *next;
    uint32_t npieces;
    struct {
        void *to;
        uint64_t offset, size;
    } piece[OMPLS_MOST_ARRIVALS];
    _Alignas(16) char bytes[];
};

static ompls_staging *stage(ompls_traffic *traffic, uint64_t size) {
    ompls_staging *staging = malloc(sizeof *staging + size);
    if (staging == NULL) ompls_fail(traffic->at, NULL, "out of memory");
    memset(staging->bytes, 0, size); /* the gaps travel, too */
    staging->npieces = 0;
    staging->next = traffic->staging;
    return traffic->staging = staging;
}

void ompls_traffic_settle(ompls_traffic *traffic) {
    if (traffic->started) ompls_settle(traffic->at);
    traffic->started = false;
    for (ompls_staging *staging = traffic->staging, *next; staging != NULL; staging = next) {
        next = staging->next;
        for (uint32_t i = 0; i < staging->npieces; i++)
            memcpy(staging->piece[i].to, staging->bytes + staging->piece[i].offset, staging->piece[i].size);
        free(staging);
    }
    traffic->staging = NULL;
}

/* --- arriving --------------------------------------------------------------------------------------------------------- */

/* Members of a structure are aligned in it, so what begins inside of its base begins as far behind an aligned address. */
static uint8_t skew_of(const ompls_device *device, const ompls_arg *arg) {
    uint32_t alike = device->properties.alike;
    if (alike != 0 && arg->size >= alike) return (uint8_t)((uintptr_t)arg->begin & 63);
    return (uint8_t)(((uintptr_t)arg->begin - (uintptr_t)arg->base) & 15);
}

/* From the `failed`th arrival on nothing has memory. */
static _Noreturn void fail_memory(ompls_traffic *traffic, uint32_t failed, const ompls_error *err) {
    ompls_table *table = &traffic->at.device->table;
    uint32_t index = traffic->index[failed];
    char what[256];
    snprintf(what, sizeof what, "no device memory for '%s' (%" PRIu64 " bytes)", traffic->at.region->items[index].name, traffic->args[index].size);
    ompls_table_lock(table);
    for (uint32_t i = failed; i < traffic->count; i++) ompls_table_remove(table, traffic->items[traffic->index[i]].reference.entry);
    pthread_mutex_unlock(&table->lock);
    ompls_fail_memory(traffic->at, what, err);
}

/* What parts bring to storage that is new on the device. */
static void parts_in(ompls_traffic *traffic, uint32_t index, ompls_address address) {
    ompls_place at = traffic->at;
    for (uint32_t part = ompls_part_after(at, index); part != 0; part = ompls_part_after(at, part)) {
        const ompls_item_desc *item = &at.region->items[part];
        const ompls_arg *arg = &traffic->args[part];
        if (item->flags & OMPLS_MAP_PRESENT) ompls_fail_absent(at, item->name, arg);
        if (!(item->flags & OMPLS_MAP_TO)) continue;
        ompls_start_in(at, item->name, address + ((uintptr_t)arg->begin - (uintptr_t)traffic->args[index].begin), arg->begin, arg->size);
        traffic->started = true;
    }
}

static void place(ompls_entry *entry, ompls_address address, uint8_t skew, block *shared) {
    atomic_store_explicit(&entry->device, address, memory_order_relaxed);
    entry->skew = skew;
    entry->block = shared;
}

/* On a device whose memory is the host's.  What pointers are attached in is the host's, too: it has a copy. */
static bool arrive_lent(ompls_traffic *traffic, uint32_t index) {
    ompls_place at = traffic->at;
    const ompls_item_desc *item = &at.region->items[index];
    const ompls_arg *arg = &traffic->args[index];
    uint32_t least = at.device->properties.lend;
    if (OMPLS_LIKELY(least == 0) || arg->size < least || !(item->flags & OMPLS_MAP_PLAIN) || ompls_part_after(at, index) != 0) return false;
    ompls_error err;
    ompls_no_error(&err);
    ompls_address address = 0;
    if (at.device->module->lend(at.device->handle, arg->begin, arg->size, &address, &err) != 0) ompls_fail_module(at, "cannot lend the host's memory", &err);
    if (address == 0) return false;
    place(traffic->items[index].reference.entry, address, 0, NULL);
    traffic->items[index].reference.entry->lent = true;
    return true;
}

/* A device that checks kernels learns which bytes of a new allocation are in no list item: those before the item, which put it
   in its place, and those between its parts. */
static void leave_out(const ompls_traffic *traffic, uint32_t index, ompls_address allocation, uint8_t skew) {
    ompls_place at = traffic->at;
    const ompls_arg *arg = &traffic->args[index];
    uintptr_t first = (uintptr_t)arg->begin, end = first + arg->size;
    if (at.device->module->leave_out == NULL) return;
    if (skew != 0) at.device->module->leave_out(at.device->handle, allocation, skew);
    if (!(at.region->items[index].flags & OMPLS_MAP_JOINED)) return;
    for (uintptr_t here = first, next; here < end; here = next) {
        uintptr_t covered = here;
        next = end;
        for (uint32_t part = ompls_part_after(at, index); part != 0; part = ompls_part_after(at, part)) {
            uintptr_t begin = (uintptr_t)traffic->args[part].begin, behind = begin + traffic->args[part].size;
            if (begin <= here && behind > covered) covered = behind;
            if (begin > here && begin < next) next = begin;
        }
        if (covered > here) next = covered;
        else at.device->module->leave_out(at.device->handle, allocation + skew + (here - first), next - here);
    }
}

static void arrive_alone(ompls_traffic *traffic, uint32_t which) {
    ompls_place at = traffic->at;
    uint32_t index = traffic->index[which];
    const ompls_item_desc *item = &at.region->items[index];
    const ompls_arg *arg = &traffic->args[index];
    if (arrive_lent(traffic, index)) return;
    ompls_error err;
    ompls_no_error(&err);
    ompls_address address = 0;
    uint8_t skew = skew_of(at.device, arg);
    uint64_t began = OMPLS_BEGIN(.kind = "alloc", .at = at, .var = item->name, .host = arg->begin, .bytes = arg->size);
    if (at.device->module->alloc(at.device->handle, arg->size + skew, &address, &err) != 0) fail_memory(traffic, which, &err);
    leave_out(traffic, index, address, skew);
    address += skew;
    if (OMPLS_UNLIKELY(ompls_observing))
        ompls_observe(&(ompls_event){.kind = "alloc", .at = at, .var = item->name, .address = address, .bytes = arg->size, .began = began});
    if (item->flags & OMPLS_MAP_TO) {
        ompls_start_in(at, item->name, address, arg->begin, arg->size);
        traffic->started = true;
    }
    parts_in(traffic, index, address);
    place(traffic->items[index].reference.entry, address, skew, NULL);
}

static bool is_small(const ompls_traffic *traffic, uint32_t index) {
    return traffic->args[index].size <= traffic->at.device->properties.gather && ompls_part_after(traffic->at, index) == 0;
}

/* The arrivals `which[0..count)`, all of them small, into one allocation; those with data first, so that one copy without
   more than the gaps brings them. */
static void arrive_together(ompls_traffic *traffic, const uint32_t *which, uint32_t count) {
    ompls_place at = traffic->at;
    const ompls_item_desc *items = at.region->items;
    uint64_t size = 0, with_data = 0, offset[OMPLS_MOST_ARRIVALS];
    for (uint32_t wanted = OMPLS_MAP_TO;; wanted = 0) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t index = traffic->index[which[i]];
            if ((items[index].flags & OMPLS_MAP_TO) != wanted) continue;
            offset[i] = ((size + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1)) + skew_of(at.device, &traffic->args[index]);
            size = offset[i] + traffic->args[index].size;
        }
        if (wanted == 0) break;
        with_data = size;
    }
    ompls_error err;
    ompls_no_error(&err);
    block *shared = malloc(sizeof *shared);
    if (shared == NULL) ompls_fail(at, NULL, "out of memory");
    if (at.device->module->alloc(at.device->handle, size, &shared->address, &err) != 0) fail_memory(traffic, which[0], &err);
    atomic_init(&shared->entries, count);
    ompls_staging *staging = with_data > 0 ? stage(traffic, with_data) : NULL;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = traffic->index[which[i]];
        if (items[index].flags & OMPLS_MAP_TO) memcpy(staging->bytes + offset[i], traffic->args[index].begin, traffic->args[index].size);
        place(traffic->items[index].reference.entry, shared->address + offset[i], 0, shared);
    }
    if (staging == NULL) return;
    ompls_start_in(at, items[traffic->index[which[0]]].name, shared->address, staging->bytes, with_data);
    traffic->started = true;
}

/* Everybody may use them from now on, behind the mark where copies have only been started. */
static void announce(ompls_traffic *traffic) {
    ompls_place at = traffic->at;
    ompls_error err;
    ompls_no_error(&err);
    uint64_t mark = 0;
    if (traffic->started && at.device->module->mark != NULL && at.device->module->mark(at.device->handle, &mark, &err) != 0)
        ompls_fail_module(at, "the copies of the construct failed", &err);
    for (uint32_t i = 0; i < traffic->count; i++) {
        uint32_t index = traffic->index[i];
        const ompls_arg *arg = &traffic->args[index];
        ompls_reference *reference = &traffic->items[index].reference;
        ompls_address address = atomic_load_explicit(&reference->entry->device, memory_order_relaxed);
        ompls_globals_mapped(at.device, at.region, (uintptr_t)arg->begin, ompls_end_of(arg), address);
        atomic_store_explicit(&reference->entry->mark, mark, memory_order_relaxed);
        ompls_entry_arrived(&at.device->table, reference->entry, address, true,
                            at.region->items[index].flags & OMPLS_MAP_HOLD ? OMPLS_COUNT_HOLD : OMPLS_COUNT_ONE, reference);
    }
}

void ompls_arrive(ompls_traffic *traffic) {
    uint32_t small[OMPLS_MOST_ARRIVALS], nsmall = 0;
    if (traffic->count == 0) return;
    for (uint32_t i = 0; i < traffic->count && !ompls_observing; i++)
        if (is_small(traffic, traffic->index[i])) small[nsmall++] = i;
    if (nsmall < 2) nsmall = 0;
    for (uint32_t i = 0, next = 0; i < traffic->count; i++) {
        if (next < nsmall && small[next] == i) next++;
        else arrive_alone(traffic, i);
    }
    if (nsmall > 0) arrive_together(traffic, small, nsmall);
    announce(traffic);
    traffic->count = 0;
}

/* --- departing --------------------------------------------------------------------------------------------------------- */

/* It leaves and has not been copied back. */
static bool leaves(const ompls_traffic *traffic, uint32_t index) {
    const ompls_held *first = &traffic->items[traffic->items[index].first];
    return first->leaving && !first->departed;
}

/* Of an item, the bytes that go back: what lies in the entry that leaves. */
static bool returning(const ompls_traffic *traffic, uint32_t index, uintptr_t *begin, uintptr_t *end) {
    const ompls_held *held = &traffic->items[index];
    const ompls_entry *entry = held->reference.entry;
    uint32_t flags = traffic->at.region->items[index].flags;
    if (entry == NULL || !leaves(traffic, index) || !(flags & OMPLS_MAP_FROM) || (flags & OMPLS_MAP_ALWAYS)) return false;
    uintptr_t first = atomic_load(&((ompls_entry *)(uintptr_t)entry)->begin), last = atomic_load(&((ompls_entry *)(uintptr_t)entry)->end);
    *begin = (uintptr_t)traffic->args[index].begin;
    *end = *begin + traffic->args[index].size;
    if (*begin < first) *begin = first;
    if (*end > last) *end = last;
    return *begin < *end;
}

/* What parts take from storage that goes. */
static void parts_out(ompls_traffic *traffic, uint32_t index, ompls_entry *entry) {
    ompls_place at = traffic->at;
    for (uint32_t part = ompls_part_after(at, index); part != 0; part = ompls_part_after(at, part)) {
        uint32_t flags = at.region->items[part].flags;
        uintptr_t begin = (uintptr_t)traffic->args[part].begin, end = begin + traffic->args[part].size;
        if (!(flags & OMPLS_MAP_FROM) || (flags & OMPLS_MAP_ALWAYS) || begin < atomic_load(&entry->begin) || end > atomic_load(&entry->end)) continue;
        ompls_leaving_item_out(at, at.region->items[part].name, entry, (void *)begin, end - begin);
        traffic->started = true;
    }
}

static ompls_address address_of(ompls_entry *entry, uintptr_t host) {
    return atomic_load_explicit(&entry->device, memory_order_relaxed) + (host - atomic_load_explicit(&entry->begin, memory_order_relaxed));
}

/* As many items from `index` on as lie in one allocation, with one copy.  Returns how many, 0 when it is not worth it. */
static uint32_t depart_together(ompls_traffic *traffic, uint32_t index) {
    block *shared = traffic->items[index].reference.entry->block;
    ompls_address lowest = UINT64_MAX, highest = 0;
    uintptr_t begin, end;
    uint64_t wanted = 0;
    uint32_t count = 0;
    if (shared == NULL || ompls_observing) return 0;
    for (; count < OMPLS_MOST_ARRIVALS && index + count < traffic->at.region->nitems; count++) {
        if (!returning(traffic, index + count, &begin, &end)) break;
        ompls_entry *entry = traffic->items[index + count].reference.entry;
        if (entry->block != shared || atomic_load(&entry->attachments) != NULL) break;
        ompls_address from = address_of(entry, begin);
        if (from < lowest) lowest = from;
        if (from + (end - begin) > highest) highest = from + (end - begin);
        wanted += end - begin;
    }
    if (count < 2 || highest - lowest > wanted + count * (uint64_t)(2 * ALIGNMENT)) return 0;
    ompls_staging *staging = stage(traffic, highest - lowest);
    staging->npieces = count;
    for (uint32_t i = 0; i < count; i++) {
        returning(traffic, index + i, &begin, &end);
        staging->piece[i].to = (void *)begin;
        staging->piece[i].offset = address_of(traffic->items[index + i].reference.entry, begin) - lowest;
        staging->piece[i].size = end - begin;
    }
    ompls_start_out(traffic->at, traffic->at.region->items[index].name, staging->bytes, lowest, highest - lowest);
    traffic->started = true;
    return count;
}

void ompls_depart(ompls_traffic *traffic) {
    ompls_place at = traffic->at;
    for (uint32_t i = 0; i < at.region->nitems; i++) {
        const ompls_held *held = &traffic->items[i];
        if (held->reference.entry == NULL || !leaves(traffic, i)) continue;
        uintptr_t begin, end;
        uint32_t together = returning(traffic, i, &begin, &end) ? depart_together(traffic, i) : 0;
        if (together > 0) {
            i += together - 1; /* small items have no parts */
            continue;
        }
        if (returning(traffic, i, &begin, &end)) {
            ompls_leaving_item_out(at, at.region->items[i].name, held->reference.entry, (void *)begin, end - begin);
            traffic->started = true;
        }
        parts_out(traffic, i, held->reference.entry);
    }
    for (uint32_t i = 0; i < at.region->nitems; i++) traffic->items[i].departed = traffic->items[i].leaving;
}

int ompls_free_memory(ompls_device *device, ompls_entry *entry, ompls_error *err) {
    block *shared = entry->block;
    if (entry->lent) return device->module->take_back(device->handle, (const void *)atomic_load(&entry->begin), err);
    if (shared == NULL) return device->module->free(device->handle, atomic_load(&entry->device) - entry->skew, err);
    if (atomic_fetch_sub(&shared->entries, 1) > 1) return 0;
    int failed = device->module->free(device->handle, shared->address, err);
    free(shared);
    return failed;
}

void ompls_free_entry(ompls_place at, ompls_entry *entry) {
    if (!entry->owned) return;
    ompls_error err;
    ompls_no_error(&err);
    ompls_address address = atomic_load(&entry->device);
    uint64_t began = OMPLS_BEGIN(.kind = "free", .at = at, .var = entry->name, .address = address);
    if (ompls_free_memory(at.device, entry, &err) != 0) ompls_fail_module(at, "cannot free device memory", &err);
    if (OMPLS_UNLIKELY(ompls_observing))
        ompls_observe(&(ompls_event){.kind = "free", .at = at, .var = entry->name, .address = address,
                                     .bytes = atomic_load(&entry->end) - atomic_load(&entry->begin), .began = began});
}
