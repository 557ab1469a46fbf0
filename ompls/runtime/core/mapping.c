/* mapping.c -- one list item enters or leaves a device data environment (OpenMP 5.2 section 5.8.3).

   What is present costs a look-up and a count.  What is not is put into the table first, then allocated and copied: another
   thread counts the item only when its data has arrived, and maps it again only after it was copied back. */
#include "core.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uintptr_t end_of(const ompls_arg *arg) {
    /* A zero-length section is looked up where it begins. */
    return (uintptr_t)arg->begin + (arg->size != 0 ? arg->size : 1);
}

static void observe_count(const char *kind, ompls_place at, const char *name, const ompls_arg *arg, ompls_entry *entry, bool changed) {
    ompls_observe(&(ompls_event){.kind = kind, .at = at, .var = name, .host = arg->begin, .bytes = arg->size, .counted = true,
                                 .refcount = changed && kind[4] == 'e' && kind[5] == 'x' ? 0 : ompls_entry_count(entry), .changed = changed});
}

void ompls_copy_in(ompls_place at, const char *name, ompls_address to, const void *from, uint64_t size) {
    if (size == 0) return;
    ompls_error err = {0};
    uint64_t began = OMPLS_BEGIN(.kind = "copy", .at = at, .var = name, .host = from, .address = to, .bytes = size, .direction = "to");
    if (at.device->module->copy_in(at.device->handle, to, from, size, &err) != 0) {
        char what[256];
        snprintf(what, sizeof what, "cannot copy '%s' (%" PRIu64 " bytes) to the device", name, size);
        ompls_fail_module(at, what, &err);
    }
    if (OMPLS_UNLIKELY(ompls_observing))
        ompls_observe(&(ompls_event){.kind = "copy", .at = at, .var = name, .host = from, .address = to, .bytes = size, .direction = "to", .began = began});
}

void ompls_copy_out(ompls_place at, const char *name, void *to, ompls_address from, uint64_t size) {
    if (size == 0) return;
    ompls_error err = {0};
    uint64_t began = OMPLS_BEGIN(.kind = "copy", .at = at, .var = name, .host = to, .address = from, .bytes = size, .direction = "from");
    if (at.device->module->copy_out(at.device->handle, to, from, size, &err) != 0) {
        char what[256];
        snprintf(what, sizeof what, "cannot copy '%s' (%" PRIu64 " bytes) from the device", name, size);
        ompls_fail_module(at, what, &err);
    }
    if (OMPLS_UNLIKELY(ompls_observing))
        ompls_observe(&(ompls_event){.kind = "copy", .at = at, .var = name, .host = to, .address = from, .bytes = size, .direction = "from", .began = began});
}

/* --- copies of items, around the pointers that are attached in them ------------------------------------------------ */

static ompls_address address_in(ompls_entry *entry, uintptr_t host) {
    return atomic_load_explicit(&entry->device, memory_order_relaxed) + (host - atomic_load_explicit(&entry->begin, memory_order_relaxed));
}

/* With the lock held.  The device's pointers are written again after the copy. */
static void item_in_locked(ompls_place at, const char *name, ompls_entry *entry, const void *host, uint64_t size) {
    uint64_t first = (uintptr_t)host - atomic_load(&entry->begin);
    ompls_address to = address_in(entry, (uintptr_t)host);
    ompls_copy_in(at, name, to, host, size);
    for (ompls_attachment *a = atomic_load(&entry->attachments); a != NULL; a = a->next)
        if (a->offset >= first && a->offset + sizeof a->value <= first + size)
            ompls_copy_in(at, name, to + (a->offset - first), &a->value, sizeof a->value);
}

/* With the lock held, or of an entry that leaves.  The host's pointers stay as they are: the parts between them are copied. */
static void item_out_around(ompls_place at, const char *name, ompls_entry *entry, void *host, uint64_t size) {
    uint64_t first = (uintptr_t)host - atomic_load(&entry->begin), done = 0;
    ompls_address from = address_in(entry, (uintptr_t)host);
    while (done < size) {
        const ompls_attachment *next = NULL;
        for (ompls_attachment *a = atomic_load(&entry->attachments); a != NULL; a = a->next)
            if (a->offset >= first + done && a->offset < first + size && (next == NULL || a->offset < next->offset)) next = a;
        uint64_t end = next == NULL ? size : next->offset - first;
        ompls_copy_out(at, name, (char *)host + done, from + done, end - done);
        done = next == NULL ? size : end + sizeof next->value;
    }
}

void ompls_item_in(ompls_place at, const char *name, ompls_entry *entry, const void *host, uint64_t size) {
    if (atomic_load_explicit(&entry->attachments, memory_order_acquire) == NULL) {
        ompls_copy_in(at, name, address_in(entry, (uintptr_t)host), host, size);
        return;
    }
    ompls_table_lock(&at.device->table);
    item_in_locked(at, name, entry, host, size);
    pthread_mutex_unlock(&at.device->table.lock);
}

void ompls_item_out(ompls_place at, const char *name, ompls_entry *entry, void *host, uint64_t size) {
    if (atomic_load_explicit(&entry->attachments, memory_order_acquire) == NULL) {
        ompls_copy_out(at, name, host, address_in(entry, (uintptr_t)host), size);
        return;
    }
    ompls_table_lock(&at.device->table);
    item_out_around(at, name, entry, host, size);
    pthread_mutex_unlock(&at.device->table.lock);
}

/* --- entering ------------------------------------------------------------------------------------------------------ */

_Noreturn void ompls_fail_overlap(ompls_place at, const char *name, const ompls_arg *arg, ompls_entry *entry) {
    uintptr_t begin = atomic_load(&entry->begin), end = atomic_load(&entry->end);
    pthread_mutex_unlock(&at.device->table.lock);
    ompls_fail(at, "map the whole before its parts",
               "'%s' (%" PRIu64 " bytes at %p) is partly mapped already: '%s' (%" PRIuPTR " bytes at %#" PRIxPTR ") overlaps it", name,
               arg->size, arg->begin, entry->name, end - begin, begin);
}

_Noreturn void ompls_fail_absent(ompls_place at, const char *name, const ompls_arg *arg) {
    ompls_fail(at, "map it before this construct", "'%s' (%" PRIu64 " bytes at %p) is not present: its map type or motion has the present modifier",
               name, arg->size, arg->begin);
}

/* The parts of an item stand behind it.  0 after the last. */
static uint32_t part_after(ompls_place at, uint32_t index) {
    return index + 1 < at.region->nitems && (at.region->items[index + 1].flags & OMPLS_MAP_PART) ? index + 1 : 0;
}

/* What parts bring to storage that is new on the device. */
static void parts_in(ompls_place at, uint32_t index, const ompls_arg *args, ompls_address address) {
    for (uint32_t part = part_after(at, index); part != 0; part = part_after(at, part)) {
        const ompls_item_desc *item = &at.region->items[part];
        const ompls_arg *arg = &args[part];
        if (item->flags & OMPLS_MAP_PRESENT) ompls_fail_absent(at, item->name, arg);
        if (item->flags & OMPLS_MAP_TO)
            ompls_copy_in(at, item->name, address + ((uintptr_t)arg->begin - (uintptr_t)args[index].begin), arg->begin, arg->size);
    }
}

/* Members of a structure are aligned in it, so what begins inside of its base begins as far behind an aligned address. */
static uint8_t skew_of(const ompls_arg *arg) {
    return (uint8_t)(((uintptr_t)arg->begin - (uintptr_t)arg->base) & 15);
}

static void remove_from_table(ompls_table *table, ompls_entry *entry) {
    ompls_table_lock(table);
    ompls_table_remove(table, entry);
    pthread_mutex_unlock(&table->lock);
}

/* Brings what a new entry stands for.  Returns it counted in *out. */
static void arrive(ompls_place at, uint32_t index, const ompls_arg *args, ompls_entry *entry, ompls_reference *out) {
    const ompls_item_desc *item = &at.region->items[index];
    const ompls_arg *arg = &args[index];
    ompls_error err = {0};
    ompls_address address = 0;
    ompls_device *device = at.device;
    uint64_t began = OMPLS_BEGIN(.kind = "alloc", .at = at, .var = item->name, .host = arg->begin, .bytes = arg->size);
    uint8_t skew = skew_of(arg);
    if (device->module->alloc(device->handle, arg->size + skew, &address, &err) != 0) {
        char what[256];
        snprintf(what, sizeof what, "no device memory for '%s' (%" PRIu64 " bytes)", item->name, arg->size);
        remove_from_table(&device->table, entry);
        ompls_fail_memory(at, what, &err);
    }
    address += skew;
    if (OMPLS_UNLIKELY(ompls_observing))
        ompls_observe(&(ompls_event){.kind = "alloc", .at = at, .var = item->name, .address = address, .bytes = arg->size, .began = began});
    if (item->flags & OMPLS_MAP_TO) ompls_copy_in(at, item->name, address, arg->begin, arg->size);
    parts_in(at, index, args, address);
    ompls_globals_mapped(device, at.region, (uintptr_t)arg->begin, end_of(arg), address);
    entry->skew = skew;
    ompls_entry_arrived(&device->table, entry, address, true, item->flags & OMPLS_MAP_HOLD ? OMPLS_COUNT_HOLD : OMPLS_COUNT_ONE, out);
}

/* With the lock held.  False when the item is absent; *overlapping then tells what is in its way. */
static bool count_present(ompls_place at, const ompls_item_desc *item, uintptr_t begin, uintptr_t end, ompls_entry **overlapping,
                          ompls_reference *out) {
    ompls_table *table = &at.device->table;
    bool hold = item->flags & OMPLS_MAP_HOLD;
    for (;;) { /* what was found may leave before it is counted */
        if (ompls_table_find(table, begin, end, overlapping, out)) {
            if (ompls_entry_acquire(out->entry, begin, end, hold, out)) return true;
        } else if (*overlapping != NULL && (item->flags & OMPLS_MAP_IMPLICIT)) {
            /* Part of an implicitly mapped variable is present: that part is meant. */
            uintptr_t first = atomic_load(&(*overlapping)->begin);
            if (ompls_entry_acquire(*overlapping, first, first + 1, hold, out)) return true;
        } else {
            return false;
        }
    }
}

/* Not found without the lock.  Returns true when the item was created, so that `to` has been done. */
static bool enter_slowly(ompls_place at, uint32_t index, const ompls_arg *args, ompls_reference *out) {
    const ompls_item_desc *item = &at.region->items[index];
    const ompls_arg *arg = &args[index];
    ompls_table *table = &at.device->table;
    uintptr_t begin = (uintptr_t)arg->begin, end = end_of(arg);
    ompls_entry *overlapping, *fresh = NULL;
    ompls_table_lock(table);
    if (!count_present(at, item, begin, end, &overlapping, out)) {
        out->entry = NULL;
        if (arg->size != 0 && !(item->flags & OMPLS_MAP_ZERO_LENGTH)) {
            if (overlapping != NULL) ompls_fail_overlap(at, item->name, arg, overlapping);
            if (item->flags & OMPLS_MAP_PRESENT) {
                pthread_mutex_unlock(&table->lock);
                ompls_fail_absent(at, item->name, arg);
            }
            fresh = ompls_table_insert(table, begin, end, item->name);
        }
    }
    pthread_mutex_unlock(&table->lock);
    if (fresh != NULL) arrive(at, index, args, fresh, out);
    return fresh != NULL;
}

/* Find what is present without counting it.  False when absent, and an error when the construct may not find it absent. */
bool ompls_find_item(ompls_place at, const ompls_item_desc *item, const ompls_arg *arg, ompls_reference *out) {
    ompls_table *table = &at.device->table;
    ompls_entry *overlapping;
    if (ompls_shared_memory) return false;
    ompls_table_lock(table);
    bool found = ompls_table_find(table, (uintptr_t)arg->begin, end_of(arg), &overlapping, out);
    if (!found && overlapping != NULL) ompls_fail_overlap(at, item->name, arg, overlapping);
    pthread_mutex_unlock(&table->lock);
    if (!found && (item->flags & OMPLS_MAP_PRESENT)) ompls_fail_absent(at, item->name, arg);
    return found;
}

/* `always` on a part: copied whether or not what it is a part of was there. */
static void part_always(ompls_place at, const ompls_item_desc *item, const ompls_arg *arg, bool in) {
    ompls_reference reference;
    if (!ompls_find_item(at, item, arg, &reference)) return;
    if (in) ompls_item_in(at, item->name, reference.entry, arg->begin, arg->size);
    else ompls_item_out(at, item->name, reference.entry, (void *)(uintptr_t)arg->begin, arg->size);
}

void ompls_enter_item(ompls_place at, uint32_t index, const ompls_arg *args, _Atomic(ompls_entry *) *hint, ompls_reference *out) {
    const ompls_item_desc *item = &at.region->items[index];
    const ompls_arg *arg = &args[index];
    uintptr_t begin = (uintptr_t)arg->begin, end = end_of(arg);
    bool hold = item->flags & OMPLS_MAP_HOLD, created = false;
    out->entry = NULL;
    if (OMPLS_UNLIKELY(ompls_shared_memory)) return; /* it corresponds to itself */
    if (OMPLS_UNLIKELY(item->flags & OMPLS_MAP_PART)) {
        if ((item->flags & OMPLS_MAP_TO) && (item->flags & OMPLS_MAP_ALWAYS)) part_always(at, item, arg, true);
        return;
    }
    ompls_entry *probable = hint != NULL ? atomic_load_explicit(hint, memory_order_acquire) : NULL;
    if (probable == NULL || !ompls_entry_acquire(probable, begin, end, hold, out)) {
        if (!ompls_table_acquire(&at.device->table, begin, end, hold, out)) created = enter_slowly(at, index, args, out);
        if (hint != NULL) atomic_store_explicit(hint, out->entry, memory_order_release);
        if (out->entry == NULL) return;
    }
    if (OMPLS_UNLIKELY(ompls_observing)) observe_count("map_enter", at, item->name, arg, out->entry, created);
    if (!created && (item->flags & OMPLS_MAP_TO) && (item->flags & OMPLS_MAP_ALWAYS))
        ompls_item_in(at, item->name, out->entry, arg->begin, arg->size);
}

/* OpenMP 5.2 section 5.8.6: the device's copy of a pointer is made to point to the corresponding pointee. */
void ompls_attach_item(ompls_place at, uint32_t index, const ompls_arg *arg, const ompls_reference *reference) {
    if (reference->entry == NULL || arg->pointer == NULL) return;
    ompls_table *table = &at.device->table;
    const char *name = at.region->items[index].name;
    uintptr_t pointer = (uintptr_t)arg->pointer;
    uint64_t value = address_in(reference->entry, (uintptr_t)arg->base);
    ompls_reference holder;
    ompls_entry *overlapping;
    ompls_table_lock(table);
    if (ompls_table_find(table, pointer, pointer + sizeof(void *), &overlapping, &holder)) {
        uint64_t offset = pointer - atomic_load(&holder.entry->begin);
        ompls_attachment *a = atomic_load(&holder.entry->attachments);
        while (a != NULL && a->offset != offset) a = a->next;
        if (a == NULL) {
            a = malloc(sizeof *a);
            if (a == NULL) ompls_fail(at, NULL, "no memory to attach '%s'", name);
            *a = (ompls_attachment){atomic_load(&holder.entry->attachments), offset, ~value};
            atomic_store_explicit(&holder.entry->attachments, a, memory_order_release);
        }
        if (a->value != value) {
            a->value = value;
            ompls_copy_in(at, name, address_in(holder.entry, pointer), &value, sizeof value);
        }
    }
    pthread_mutex_unlock(&table->lock);
}

bool ompls_find_address(ompls_device *device, const void *host, uint64_t size, ompls_address *out) {
    ompls_reference reference;
    ompls_entry *overlapping;
    ompls_table_lock(&device->table);
    bool found = ompls_table_find(&device->table, (uintptr_t)host, (uintptr_t)host + (size != 0 ? size : 1), &overlapping, &reference);
    if (found) *out = address_in(reference.entry, (uintptr_t)host);
    pthread_mutex_unlock(&device->table.lock);
    if (!found && ompls_shared_memory) {
        *out = (uintptr_t)host;
        return true;
    }
    return found;
}

/* --- leaving ------------------------------------------------------------------------------------------------------- */

static void free_entry(ompls_place at, ompls_entry *entry) {
    if (!entry->owned) return;
    ompls_error err = {0};
    ompls_address address = atomic_load(&entry->device);
    uint64_t began = OMPLS_BEGIN(.kind = "free", .at = at, .var = entry->name, .address = address);
    if (at.device->module->free(at.device->handle, address - entry->skew, &err) != 0) ompls_fail_module(at, "cannot free device memory", &err);
    if (OMPLS_UNLIKELY(ompls_observing))
        ompls_observe(&(ompls_event){.kind = "free", .at = at, .var = entry->name, .address = address,
                                     .bytes = atomic_load(&entry->end) - atomic_load(&entry->begin), .began = began});
}

/* What parts take from storage that goes. */
static void parts_out(ompls_place at, uint32_t index, const ompls_arg *args, ompls_entry *entry) {
    for (uint32_t part = part_after(at, index); part != 0; part = part_after(at, part)) {
        uint32_t flags = at.region->items[part].flags;
        uintptr_t begin = (uintptr_t)args[part].begin;
        if ((flags & OMPLS_MAP_FROM) && !(flags & OMPLS_MAP_ALWAYS) && begin >= atomic_load(&entry->begin) && begin + args[part].size <= atomic_load(&entry->end))
            item_out_around(at, at.region->items[part].name, entry, (void *)begin, args[part].size);
    }
}

/* What was counted last is on its way out: copied back, freed, removed. */
static void depart(ompls_place at, uint32_t index, const ompls_arg *args, ompls_entry *entry, bool copied) {
    const ompls_item_desc *item = &at.region->items[index];
    const ompls_arg *arg = &args[index];
    uintptr_t begin = (uintptr_t)arg->begin, end = begin + arg->size;
    uintptr_t first = atomic_load(&entry->begin), last = atomic_load(&entry->end);
    if (begin < first) begin = first;
    if (end > last) end = last;
    if ((item->flags & OMPLS_MAP_FROM) && !copied && begin < end) item_out_around(at, item->name, entry, (void *)begin, end - begin);
    parts_out(at, index, args, entry);
    free_entry(at, entry);
    if (OMPLS_UNLIKELY(ompls_observing)) observe_count("map_exit", at, item->name, arg, entry, true);
    remove_from_table(&at.device->table, entry);
}

void ompls_leave_item(ompls_place at, uint32_t index, const ompls_arg *args, const ompls_reference *reference) {
    const ompls_item_desc *item = &at.region->items[index];
    const ompls_arg *arg = &args[index];
    if (reference->entry == NULL) {
        if ((item->flags & OMPLS_MAP_PART) && (item->flags & OMPLS_MAP_FROM) && (item->flags & OMPLS_MAP_ALWAYS)) part_always(at, item, arg, false);
        return;
    }
    bool always = (item->flags & OMPLS_MAP_FROM) && (item->flags & OMPLS_MAP_ALWAYS);
    if (always) ompls_item_out(at, item->name, reference->entry, (void *)(uintptr_t)arg->begin, arg->size);
    ompls_drop_kind kind = item->flags & OMPLS_MAP_DELETE ? OMPLS_DROP_DYNAMIC : item->flags & OMPLS_MAP_HOLD ? OMPLS_DROP_HOLD : OMPLS_DROP_ONE;
    if (ompls_release(reference, kind) == OMPLS_LAST) depart(at, index, args, reference->entry, always);
    else if (OMPLS_UNLIKELY(ompls_observing)) observe_count("map_exit", at, item->name, arg, reference->entry, false);
}
