/* mapping.c -- the copies of list items, and what is present of them (OpenMP 5.2 section 5.8).

   What a construct copies is only started where the device can work beside the host; who needs it done settles. */
#include "core.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int copy_in(void *device, ompls_address to, const void *from, uint64_t size, ompls_error *err);
typedef int copy_out(void *device, void *to, ompls_address from, uint64_t size, ompls_error *err);

static void in(ompls_place at, const char *name, ompls_address to, const void *from, uint64_t size, copy_in *copy) {
    if (size == 0) return;
    ompls_error err;
    ompls_no_error(&err);
    uint64_t began = OMPLS_BEGIN(.kind = "copy", .at = at, .var = name, .host = from, .address = to, .bytes = size, .direction = "to");
    if (copy(at.device->handle, to, from, size, &err) != 0) {
        char what[256];
        snprintf(what, sizeof what, "cannot copy '%s' (%" PRIu64 " bytes) to the device", name, size);
        ompls_fail_module(at, what, &err);
    }
    if (OMPLS_UNLIKELY(ompls_observing))
        ompls_observe(&(ompls_event){.kind = "copy", .at = at, .var = name, .host = from, .address = to, .bytes = size, .direction = "to", .began = began});
}

static void out(ompls_place at, const char *name, void *to, ompls_address from, uint64_t size, copy_out *copy) {
    if (size == 0) return;
    ompls_error err;
    ompls_no_error(&err);
    uint64_t began = OMPLS_BEGIN(.kind = "copy", .at = at, .var = name, .host = to, .address = from, .bytes = size, .direction = "from");
    if (copy(at.device->handle, to, from, size, &err) != 0) {
        char what[256];
        snprintf(what, sizeof what, "cannot copy '%s' (%" PRIu64 " bytes) from the device", name, size);
        ompls_fail_module(at, what, &err);
    }
    if (OMPLS_UNLIKELY(ompls_observing))
        ompls_observe(&(ompls_event){.kind = "copy", .at = at, .var = name, .host = to, .address = from, .bytes = size, .direction = "from", .began = began});
}

void ompls_copy_in(ompls_place at, const char *name, ompls_address to, const void *from, uint64_t size) {
    in(at, name, to, from, size, at.device->module->copy_in);
}

void ompls_copy_out(ompls_place at, const char *name, void *to, ompls_address from, uint64_t size) {
    out(at, name, to, from, size, at.device->module->copy_out);
}

/* Started as by ompls_start_in. */
static void attach(ompls_place at, const char *name, ompls_address pointer, ompls_address target) {
    ompls_error err;
    ompls_no_error(&err);
    uint64_t bytes = ompls_pointer_bytes(at.device);
    uint64_t began = OMPLS_BEGIN(.kind = "copy", .at = at, .var = name, .address = pointer, .bytes = bytes, .direction = "to");
    if (at.device->module->attach(at.device->handle, pointer, target, &err) != 0) {
        char what[256];
        snprintf(what, sizeof what, "cannot attach the pointer '%s'", name);
        ompls_fail_module(at, what, &err);
    }
    if (OMPLS_UNLIKELY(ompls_observing)) {
        ompls_settle(at);
        ompls_observe(&(ompls_event){.kind = "copy", .at = at, .var = name, .address = pointer, .bytes = bytes, .direction = "to", .began = began});
    }
}

/* Who looks on wants to know how long each copy takes: then none is only started. */
void ompls_start_in(ompls_place at, const char *name, ompls_address to, const void *from, uint64_t size) {
    const ompls_module *module = at.device->module;
    in(at, name, to, from, size, module->start_in != NULL && !ompls_observing ? module->start_in : module->copy_in);
}

void ompls_start_out(ompls_place at, const char *name, void *to, ompls_address from, uint64_t size) {
    const ompls_module *module = at.device->module;
    out(at, name, to, from, size, module->start_out != NULL && !ompls_observing ? module->start_out : module->copy_out);
}

void ompls_settle(ompls_place at) {
    if (at.device->module->start_in == NULL) return;
    ompls_error err;
    ompls_no_error(&err);
    if (at.device->module->synchronize(at.device->handle, &err) != 0) ompls_fail_module(at, "the copies of the construct failed", &err);
}

void ompls_follow_mark(ompls_place at, uint64_t mark) {
    ompls_error err;
    ompls_no_error(&err);
    if (at.device->module->follow(at.device->handle, mark, &err) != 0) ompls_fail_module(at, "cannot wait for another thread's copy", &err);
}

/* --- copies of items, around the pointers that are attached in them ------------------------------------------------ */

static ompls_address address_in(ompls_entry *entry, uintptr_t host) {
    return atomic_load_explicit(&entry->device, memory_order_relaxed) + (host - atomic_load_explicit(&entry->begin, memory_order_relaxed));
}

ompls_attachment *ompls_attachments_from(ompls_entry *entry, uint64_t offset, const ompls_attachment **end) {
    ompls_attachments *all = atomic_load(&entry->attachments);
    *end = all != NULL ? all->of + all->count : NULL;
    uint32_t low = 0, high = all != NULL ? all->count : 0;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (all->of[middle].offset < offset) low = middle + 1;
        else high = middle;
    }
    return all != NULL ? all->of + low : NULL;
}

/* With the lock held.  Where the host's pointer at `pointer`, which follows, leads on the device; 0: nowhere.  Of another
   address than the first nobody knows what it belongs to: the end of one item may be where the next begins. */
static ompls_address led_to(ompls_device *device, const ompls_attachment *a, const void *pointer) {
    uintptr_t value;
    ompls_reference there;
    ompls_entry *overlapping;
    memcpy(&value, pointer, sizeof value);
    if (value == a->host) return address_in(a->to.entry, value);
    bool found = ompls_table_find(&device->table, value, value + 1, &overlapping, &there) ||
                 (value != 0 && ompls_table_find(&device->table, value - 1, value, &overlapping, &there));
    return found ? address_in(there.entry, value) : 0;
}

/* With the lock held.  The device's pointers are written again after the copy. */
static void item_in_locked(ompls_place at, const char *name, ompls_entry *entry, const void *host, uint64_t size) {
    uint64_t first = (uintptr_t)host - atomic_load(&entry->begin);
    ompls_address to = address_in(entry, (uintptr_t)host);
    const ompls_attachment *end;
    ompls_start_in(at, name, to, host, size);
    for (const ompls_attachment *a = ompls_attachments_from(entry, first, &end); a < end && a->offset + sizeof(void *) <= first + size; a++) {
        ompls_address value = a->follows ? led_to(at.device, a, (const char *)host + (a->offset - first)) : a->value;
        if (value != 0) attach(at, name, to + (a->offset - first), value);
    }
}

/* With the lock held, or nobody else sees the entry.  The host's pointers stay as they are: the parts between them are copied. */
void ompls_leaving_item_out(ompls_place at, const char *name, ompls_entry *entry, void *host, uint64_t size) {
    if (OMPLS_UNLIKELY(entry->lent)) return;
    uint64_t first = (uintptr_t)host - atomic_load(&entry->begin), done = 0;
    ompls_address from = address_in(entry, (uintptr_t)host);
    const ompls_attachment *end, *next = ompls_attachments_from(entry, first, &end);
    for (; next < end && next->offset < first + size; next++) {
        if (next->follows && led_to(at.device, next, (char *)host + (next->offset - first)) == 0) continue;
        ompls_start_out(at, name, (char *)host + done, from + done, next->offset - first - done);
        done = next->offset - first + sizeof(void *);
    }
    if (done < size) ompls_start_out(at, name, (char *)host + done, from + done, size - done);
}

void ompls_item_in(ompls_place at, const char *name, ompls_entry *entry, const void *host, uint64_t size) {
    if (OMPLS_UNLIKELY(entry->lent)) return;
    if (atomic_load_explicit(&entry->attachments, memory_order_acquire) == NULL) {
        ompls_start_in(at, name, address_in(entry, (uintptr_t)host), host, size);
        return;
    }
    ompls_table_lock(&at.device->table);
    item_in_locked(at, name, entry, host, size);
    pthread_mutex_unlock(&at.device->table.lock);
}

void ompls_item_out(ompls_place at, const char *name, ompls_entry *entry, void *host, uint64_t size) {
    if (OMPLS_UNLIKELY(entry->lent)) return;
    if (atomic_load_explicit(&entry->attachments, memory_order_acquire) == NULL) {
        ompls_start_out(at, name, host, address_in(entry, (uintptr_t)host), size);
        return;
    }
    ompls_table_lock(&at.device->table);
    ompls_leaving_item_out(at, name, entry, host, size);
    pthread_mutex_unlock(&at.device->table.lock);
}

/* --- what is there -------------------------------------------------------------------------------------------------- */

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

/* Find what is present without counting it.  False when absent, and an error when the construct may not find it absent. */
bool ompls_find_item(ompls_place at, const ompls_item_desc *item, const ompls_arg *arg, ompls_reference *out) {
    ompls_table *table = &at.device->table;
    ompls_entry *overlapping;
    if (ompls_shared_memory) return false;
    ompls_table_lock(table);
    bool found = ompls_table_find(table, (uintptr_t)arg->begin, ompls_end_of(arg), &overlapping, out);
    if (!found && overlapping != NULL) ompls_fail_overlap(at, item->name, arg, overlapping);
    pthread_mutex_unlock(&table->lock);
    if (!found && (item->flags & OMPLS_MAP_PRESENT)) ompls_fail_absent(at, item->name, arg);
    if (found) ompls_follow(at, out->entry);
    return found;
}

/* With the lock held.  A new one holds no address yet. */
static ompls_attachment *attachment_at(ompls_place at, ompls_entry *entry, uint64_t offset) {
    const ompls_attachment *end;
    ompls_attachment *found = ompls_attachments_from(entry, offset, &end);
    if (found < end && found->offset == offset) return found;
    ompls_attachments *all = atomic_load(&entry->attachments);
    uint32_t count = all != NULL ? all->count : 0, place = all != NULL ? (uint32_t)(found - all->of) : 0;
    if (all == NULL || count == all->room) {
        uint32_t room = count != 0 ? 2 * count : 1;
        all = realloc(all, sizeof *all + room * sizeof all->of[0]);
        if (all == NULL) ompls_fail(at, "close other programs", "no memory to attach a pointer");
        all->room = room;
        atomic_store_explicit(&entry->attachments, all, memory_order_release);
    }
    memmove(&all->of[place + 1], &all->of[place], (count - place) * sizeof all->of[0]);
    all->of[place] = (ompls_attachment){.offset = offset, .value = UINT64_MAX};
    all->count = count + 1;
    return &all->of[place];
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
        if (ompls_pointer_bytes(at.device) != sizeof(void *)) {
            pthread_mutex_unlock(&table->lock);
            ompls_fail(at, "map what it points to by a pointer that is not mapped itself",
                       "the pointer of '%s' is mapped, and pointers have %u bytes on the device, %zu here", name,
                       ompls_pointer_bytes(at.device), sizeof(void *));
        }
        ompls_attachment *a = attachment_at(at, holder.entry, pointer - atomic_load(&holder.entry->begin));
        a->follows = false;
        a->host = (uintptr_t)arg->base;
        a->to = *reference;
        if (a->value != value) {
            a->value = value;
            ompls_follow(at, holder.entry);
            attach(at, name, address_in(holder.entry, pointer), value);
            ompls_settle(at); /* other threads may use the entry */
        }
    }
    pthread_mutex_unlock(&table->lock);
}

void ompls_let_follow(ompls_device *device, uintptr_t pointer, uintptr_t begins, const ompls_reference *to) {
    ompls_reference holder;
    ompls_entry *overlapping;
    ompls_table_lock(&device->table);
    if (ompls_table_find(&device->table, pointer, pointer + sizeof(void *), &overlapping, &holder)) {
        uint64_t offset = pointer - atomic_load(&holder.entry->begin);
        ompls_attachment *a = attachment_at((ompls_place){.device = device}, holder.entry, offset);
        a->follows = true;
        a->host = begins;
        a->to = *to;
    }
    pthread_mutex_unlock(&device->table.lock);
}

bool ompls_find_address(ompls_device *device, const void *host, uint64_t size, ompls_address *out) {
    ompls_reference reference;
    ompls_entry *overlapping;
    ompls_table_lock(&device->table);
    bool found = ompls_table_find(&device->table, (uintptr_t)host, (uintptr_t)host + (size != 0 ? size : 1), &overlapping, &reference);
    if (found) {
        *out = address_in(reference.entry, (uintptr_t)host);
        ompls_follow((ompls_place){.device = device}, reference.entry);
    }
    pthread_mutex_unlock(&device->table.lock);
    if (!found && ompls_shared_memory) {
        *out = (uintptr_t)host;
        return true;
    }
    return found;
}
