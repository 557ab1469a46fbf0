/* environment.c -- the list items of a construct enter and leave a device data environment (OpenMP 5.2 section 5.8.3).

   What is present costs a look-up and a count, once for each storage, however many items of the construct name it.  What is
   not is put into the table first, then allocated and copied: another thread counts it only when its copy has been started,
   and maps it again only after it was copied back.  The host waits for the device once: copies and kernel of one region are
   started in order, and what nobody else has counted goes back behind the kernel. */
#include "core.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 16 };

/* Which item of the construct named an entry first.  Of few items: a filter, then all of them; of many: their numbers plus
   one, by open addressing. */
typedef struct {
    uint64_t seen;
    uint32_t *slots, mask;
} names;

static void begin_names(ompls_place at, names *names) {
    names->seen = 0;
    names->slots = NULL;
    if (at.region->nitems <= FEW) return;
    uint32_t size = 2;
    while (size < 2 * at.region->nitems) size *= 2;
    names->mask = size - 1;
    names->slots = calloc(size, sizeof *names->slots);
    if (names->slots == NULL) ompls_fail(at, NULL, "out of memory");
}

static void end_names(names *names) {
    if (names->slots != NULL) free(names->slots);
}

static inline uint32_t first_with(names *names, const ompls_held *items, uint32_t index) {
    const ompls_entry *entry = items[index].reference.entry;
    uint64_t hash = (uintptr_t)entry * 0x9e3779b97f4a7c15u;
    if (OMPLS_LIKELY(names->slots == NULL)) {
        uint64_t bit = (uint64_t)1 << (hash >> 58);
        for (uint32_t i = 0; (names->seen & bit) != 0 && i < index; i++)
            if (items[i].reference.entry == entry) return items[i].first;
        names->seen |= bit;
        return index;
    }
    uint32_t at = (uint32_t)(hash >> 40) & names->mask;
    for (; names->slots[at] != 0; at = (at + 1) & names->mask)
        if (items[names->slots[at] - 1].reference.entry == entry) return names->slots[at] - 1;
    names->slots[at] = index + 1;
    return index;
}

static void observe_count(const char *kind, ompls_place at, uint32_t index, const ompls_arg *args, const ompls_entry *entry, bool changed, bool leaves) {
    int64_t count = ompls_entry_count(entry); /* 0: it is on its way here */
    ompls_observe(&(ompls_event){.kind = kind, .at = at, .var = at.region->items[index].name, .host = args[index].begin,
                                 .bytes = args[index].size, .counted = true, .refcount = leaves ? 0 : count == 0 ? 1 : count, .changed = changed});
}

/* --- entering --------------------------------------------------------------------------------------------------------- */

/* With the lock held, which is given up in between.  Who waits for an entry must have nothing on its way itself: somebody
   else could wait for that, or it is what this construct waits for. */
static bool find(ompls_traffic *traffic, uintptr_t begin, uintptr_t end, ompls_entry **overlapping, ompls_reference *out) {
    ompls_table *table = &traffic->at.device->table;
    bool found;
    while (traffic->count > 0) {
        if (ompls_table_look(table, begin, end, overlapping, out, &found)) return found;
        pthread_mutex_unlock(&table->lock);
        ompls_arrive(traffic);
        ompls_table_lock(table);
    }
    return ompls_table_find(table, begin, end, overlapping, out);
}

/* With the lock held.  Counts what contains [begin, end); false when it is just leaving. */
static bool count_up(ompls_traffic *traffic, const ompls_item_desc *item, ompls_entry *entry, uintptr_t begin, uintptr_t end, ompls_reference *out) {
    bool hold = item->flags & OMPLS_MAP_HOLD;
    if (OMPLS_LIKELY(ompls_entry_acquire(entry, begin, end, hold, out))) return true;
    if (OMPLS_LIKELY(!ompls_entry_full(entry, hold))) return false;
    pthread_mutex_unlock(&traffic->at.device->table.lock);
    ompls_fail(traffic->at, "let constructs that map it also unmap it", "'%s' is mapped %" PRId64 " times already: no more are counted", item->name,
               ompls_entry_count(entry));
}

/* With the lock held.  False when the item is absent; *overlapping then tells what is in its way. */
static bool count_present(ompls_traffic *traffic, const ompls_item_desc *item, uintptr_t begin, uintptr_t end, ompls_entry **overlapping,
                          ompls_reference *out) {
    for (;;) { /* what was found may leave before it is counted */
        if (find(traffic, begin, end, overlapping, out)) {
            if (count_up(traffic, item, out->entry, begin, end, out)) return true;
        } else if (*overlapping != NULL && (item->flags & OMPLS_MAP_IMPLICIT)) {
            /* Part of an implicitly mapped variable is present: that part is meant. */
            uintptr_t first = atomic_load(&(*overlapping)->begin);
            if (count_up(traffic, item, *overlapping, first, first + 1, out)) return true;
        } else {
            return false;
        }
    }
}

static _Noreturn void fail_device_memory(ompls_place at, const char *name, const ompls_arg *arg) {
    const ompls_device *owner = ompls_memory_of((uintptr_t)arg->begin);
    pthread_mutex_unlock(&at.device->table.lock);
    ompls_fail(at, "map memory of the host; a device address goes into is_device_ptr or has_device_addr",
               "'%s' is mapped as memory of the host, but its address %p is memory of %s", name, arg->begin, owner->name);
}

/* Not found without the lock. */
static void enter_slowly(ompls_traffic *traffic, uint32_t index) {
    ompls_place at = traffic->at;
    const ompls_item_desc *item = &at.region->items[index];
    const ompls_arg *arg = &traffic->args[index];
    ompls_table *table = &at.device->table;
    ompls_held *held = &traffic->items[index];
    uintptr_t begin = (uintptr_t)arg->begin, end = ompls_end_of(arg);
    ompls_entry *overlapping;
    bool returns = (item->flags & (OMPLS_MAP_FROM | OMPLS_MAP_IMPLICIT)) == OMPLS_MAP_FROM; /* an implicit one may only be read there */
    ompls_table_lock(table);
    if (!count_present(traffic, item, begin, end, &overlapping, &held->reference)) {
        held->reference.entry = NULL;
        if (arg->size != 0 && !(item->flags & OMPLS_MAP_ZERO_LENGTH)) {
            if (overlapping != NULL) ompls_fail_overlap(at, item->name, arg, overlapping);
            if (item->flags & OMPLS_MAP_PRESENT) {
                pthread_mutex_unlock(&table->lock);
                ompls_fail_absent(at, item->name, arg);
            }
            if (OMPLS_UNLIKELY(ompls_memory_of(begin) != NULL)) fail_device_memory(at, item->name, arg);
            if (returns) ompls_check_end(at, item, arg);
            held->reference.entry = ompls_table_insert(table, begin, end, item->name);
            held->reference.entry->returns = returns;
            ompls_table_extend(table, held->reference.entry, (uintptr_t)arg->base);
            held->fresh = true;
            traffic->index[traffic->count++] = index;
        } else if (item->flags & OMPLS_MAP_ZERO_LENGTH) {
            /* A pointer to before the section that is mapped of what it points to. */
            ompls_entry *entry = ompls_table_extended(table, begin);
            uintptr_t first = entry != NULL ? atomic_load(&entry->begin) : 0;
            if (entry != NULL && !count_up(traffic, item, entry, first, first + 1, &held->reference))
                held->reference.entry = NULL;
        }
    }
    pthread_mutex_unlock(&table->lock);
    if (OMPLS_UNLIKELY(ompls_checks_overlap) && held->fresh && returns) ompls_check_overlap(at, item->name, arg);
    bool gathers = at.device->properties.gather != 0 || at.device->module->mark != NULL;
    if (held->fresh && (!gathers || traffic->count == OMPLS_MOST_ARRIVALS)) ompls_arrive(traffic);
}

/* `always` on a part: copied whether or not what it is a part of was there. */
static void part_always(ompls_traffic *traffic, uint32_t index, bool in) {
    const ompls_item_desc *item = &traffic->at.region->items[index];
    const ompls_arg *arg = &traffic->args[index];
    ompls_reference reference;
    if (!ompls_find_item(traffic->at, item, arg, &reference)) return;
    if (in) ompls_item_in(traffic->at, item->name, reference.entry, arg->begin, arg->size);
    else ompls_item_out(traffic->at, item->name, reference.entry, (void *)(uintptr_t)arg->begin, arg->size);
    traffic->started = true;
}

static void enter_item(ompls_traffic *traffic, uint32_t index, _Atomic(ompls_entry *) *hint, names *names) {
    ompls_place at = traffic->at;
    const ompls_item_desc *item = &at.region->items[index];
    const ompls_arg *arg = &traffic->args[index];
    ompls_held *held = &traffic->items[index];
    uintptr_t begin = (uintptr_t)arg->begin, end = ompls_end_of(arg);
    bool hold = item->flags & OMPLS_MAP_HOLD;
    *held = (ompls_held){.first = index};
    if (OMPLS_UNLIKELY(ompls_shared_memory)) return; /* it corresponds to itself */
    if (OMPLS_UNLIKELY(item->flags & OMPLS_MAP_PART)) {
        if (!(item->flags & OMPLS_MAP_TO) || !(item->flags & OMPLS_MAP_ALWAYS)) return;
        ompls_arrive(traffic);
        part_always(traffic, index, true);
        return;
    }
    ompls_entry *probable = hint != NULL ? atomic_load_explicit(hint, memory_order_acquire) : NULL;
    if (probable == NULL || !ompls_entry_acquire(probable, begin, end, hold, &held->reference)) {
        if (!ompls_table_acquire(&at.device->table, begin, end, hold, &held->reference)) enter_slowly(traffic, index);
        if (hint != NULL) atomic_store_explicit(hint, held->reference.entry, memory_order_release);
        if (held->reference.entry == NULL) return;
    }
    held->first = first_with(names, traffic->items, index);
    bool again = held->first != index;
    if (again) ompls_release(&held->reference, hold ? OMPLS_DROP_HOLD : OMPLS_DROP_ONE);
    else if (!held->fresh) ompls_follow(at, held->reference.entry);
    if (OMPLS_UNLIKELY(ompls_observing)) observe_count("map_enter", at, index, traffic->args, held->reference.entry, held->fresh, false);
    if (held->fresh || !(item->flags & OMPLS_MAP_TO)) return;
    if (!(item->flags & OMPLS_MAP_ALWAYS) && !(again && traffic->items[held->first].fresh)) return;
    ompls_item_in(at, item->name, held->reference.entry, arg->begin, arg->size);
    traffic->started = true;
}

/* The copies have arrived: nobody has to follow them any more. */
static void take_marks(ompls_place at, const ompls_held *items) {
    if (at.device->module->mark == NULL) return;
    for (uint32_t i = 0; i < at.region->nitems; i++) {
        ompls_entry *entry = items[i].reference.entry;
        if (!items[i].fresh) continue;
        /* Another thread may have removed it, and the entry stand for something else from now on, with a mark of its own. */
        uint64_t mark = atomic_load_explicit(&entry->mark, memory_order_acquire);
        if (mark != 0 && ompls_reference_to(entry).generation == items[i].reference.generation)
            atomic_compare_exchange_strong(&entry->mark, &mark, 0);
    }
}

static void begin_traffic(ompls_traffic *traffic, ompls_place at, const ompls_arg *args, ompls_held *items) {
    traffic->at = at;
    traffic->args = args;
    traffic->items = items;
    traffic->count = traffic->flags = 0;
    traffic->staging = NULL;
    traffic->started = traffic->behind = traffic->leaving = false;
}

void ompls_enter_items(ompls_place at, const ompls_arg *args, _Atomic(ompls_entry *) *hints, ompls_held *items, ompls_traffic *traffic) {
    uint32_t count = at.region->nitems;
    begin_traffic(traffic, at, args, items);
    if (count == 0) return;
    names names;
    begin_names(at, &names);
    for (uint32_t i = 0; i < count; i++) {
        enter_item(traffic, i, hints != NULL ? &hints[i] : NULL, &names);
        traffic->flags |= at.region->items[i].flags;
    }
    end_names(&names);
    ompls_arrive(traffic);
    for (uint32_t i = 0; (traffic->flags & OMPLS_MAP_ATTACH) != 0 && i < count; i++)
        if (at.region->items[i].flags & OMPLS_MAP_ATTACH) ompls_attach_item(at, i, &args[i], &items[i].reference);
}

void ompls_entered(ompls_traffic *traffic) {
    ompls_traffic_settle(traffic);
    take_marks(traffic->at, traffic->items);
}

/* --- leaving ---------------------------------------------------------------------------------------------------------- */

static void copy_always(ompls_traffic *traffic) {
    const ompls_region *region = traffic->at.region;
    if ((traffic->flags & OMPLS_MAP_ALWAYS) == 0) return;
    for (uint32_t i = region->nitems; i-- > 0;) {
        if (!(region->items[i].flags & OMPLS_MAP_FROM) || !(region->items[i].flags & OMPLS_MAP_ALWAYS)) continue;
        ompls_entry *entry = traffic->items[i].reference.entry;
        const ompls_arg *arg = &traffic->args[i];
        if (region->items[i].flags & OMPLS_MAP_PART) part_always(traffic, i, false);
        if (entry == NULL) continue;
        ompls_item_out(traffic->at, region->items[i].name, entry, (void *)(uintptr_t)arg->begin, arg->size);
        traffic->started = true;
    }
}

typedef ompls_release_result release(const ompls_reference *reference, ompls_drop_kind kind);

/* Counts down.  Returns whether something leaves now that did not before. */
static bool release_all(ompls_traffic *traffic, release *drop) {
    bool some = false;
    for (uint32_t i = traffic->at.region->nitems; i-- > 0;) {
        ompls_held *held = &traffic->items[i];
        if (held->reference.entry == NULL || held->first != i || held->leaving) continue;
        uint32_t flags = traffic->at.region->items[i].flags;
        ompls_drop_kind kind = held->deleted ? OMPLS_DROP_DYNAMIC : flags & OMPLS_MAP_HOLD ? OMPLS_DROP_HOLD : OMPLS_DROP_ONE;
        if (OMPLS_LIKELY(drop(&held->reference, kind) != OMPLS_LAST)) continue;
        held->leaving = some = traffic->leaving = true;
    }
    return some;
}

static void remove_all(ompls_traffic *traffic) {
    ompls_place at = traffic->at;
    if (OMPLS_LIKELY(!traffic->leaving && !ompls_observing)) return;
    for (uint32_t i = at.region->nitems; i-- > 0;) {
        const ompls_held *held = &traffic->items[i];
        ompls_entry *entry = held->reference.entry;
        if (entry == NULL || (held->first != i && !ompls_observing)) continue;
        bool leaves = traffic->items[held->first].leaving;
        if (held->leaving) ompls_free_entry(at, entry);
        if (OMPLS_UNLIKELY(ompls_observing)) observe_count("map_exit", at, i, traffic->args, entry, held->leaving, leaves);
        if (!held->leaving) continue;
        ompls_table_lock(&at.device->table);
        ompls_table_remove(&at.device->table, entry);
        pthread_mutex_unlock(&at.device->table.lock);
    }
}

void ompls_leave_behind(ompls_traffic *traffic) {
    copy_always(traffic);
    if (release_all(traffic, ompls_release_last)) ompls_depart(traffic);
    traffic->behind = true;
}

void ompls_leave_items(ompls_traffic *traffic) {
    if (traffic->at.region->nitems == 0) return;
    if (!traffic->behind) copy_always(traffic);
    ompls_entered(traffic);
    if (release_all(traffic, ompls_release)) {
        ompls_depart(traffic);
        ompls_traffic_settle(traffic);
    }
    remove_all(traffic);
}

void ompls_leave_environment(ompls_place at, const ompls_arg *args, ompls_held *items) {
    ompls_traffic traffic;
    begin_traffic(&traffic, at, args, items);
    for (uint32_t i = 0; i < at.region->nitems; i++) traffic.flags |= at.region->items[i].flags;
    ompls_leave_items(&traffic);
}

void ompls_exit_items(ompls_place at, const ompls_arg *args, ompls_held *items) {
    ompls_traffic traffic;
    names names;
    begin_traffic(&traffic, at, args, items);
    begin_names(at, &names);
    for (uint32_t i = 0; i < at.region->nitems; i++) {
        const ompls_item_desc *item = &at.region->items[i];
        items[i] = (ompls_held){.first = i};
        traffic.flags |= item->flags;
        if ((item->flags & OMPLS_MAP_PART) || !ompls_find_item(at, item, &args[i], &items[i].reference)) items[i].reference.entry = NULL;
        else items[i].first = first_with(&names, items, i);
        if (item->flags & OMPLS_MAP_DELETE) items[items[i].first].deleted = true;
    }
    end_names(&names);
    ompls_leave_items(&traffic);
}
