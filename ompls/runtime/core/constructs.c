/* constructs.c -- the stand-alone data constructs: target enter data, target exit data, target update. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 16 };

static ompls_held *room_for(ompls_place at, ompls_held *few) {
    ompls_held *items = at.region->nitems <= FEW ? few : malloc(at.region->nitems * sizeof *items);
    if (items == NULL) ompls_fail(at, NULL, "out of memory");
    return items;
}

static void exit_all(ompls_place at, const ompls_arg *args) {
    ompls_held few[FEW], *items = room_for(at, few);
    ompls_exit_items(at, args, items);
    if (items != few) free(items);
}

static void enter_all(ompls_place at, const ompls_arg *args) {
    ompls_held few[FEW], *items = room_for(at, few);
    ompls_traffic traffic;
    ompls_enter_items(at, args, NULL, items, &traffic);
    ompls_entered(&traffic);
    if (items != few) free(items);
}

/* --- target update --------------------------------------------------------------------------------------------------- */

static void move(ompls_place at, const ompls_item_desc *item, ompls_entry *entry, const char *begin, uint64_t size) {
    if (item->flags & OMPLS_MAP_TO) ompls_item_in(at, item->name, entry, begin, size);
    if (item->flags & OMPLS_MAP_FROM) ompls_item_out(at, item->name, entry, (void *)(uintptr_t)begin, size);
}

/* The range from the first byte of the rectangle to its last. */
static ompls_arg hull(const ompls_arg *arg, const ompls_rows *rows) {
    intptr_t below = 0, above = 0;
    for (uint32_t i = 0; i < rows->count; i++) {
        if (rows->dimension[i].count == 0) return (ompls_arg){arg->base, arg->begin, 0, 0};
        intptr_t last = (intptr_t)(rows->dimension[i].count - 1) * (intptr_t)rows->dimension[i].stride;
        if (last < 0) below += last;
        else above += last;
    }
    return (ompls_arg){arg->base, (const char *)arg->begin + below, (uint64_t)(above - below) + arg->size, 0};
}

/* The outermost dimension first, down to the contiguous bytes; `shadow` as in from_shadow, or 0. */
static void each_row(ompls_place at, const ompls_item_desc *item, ompls_entry *entry, const ompls_rows *rows, uint32_t dimension,
                     const char *begin, uint64_t size, const char *shadow) {
    if (dimension > 0) {
        const ompls_rows_dimension *d = &rows->dimension[dimension - 1];
        for (uint64_t i = 0; i < d->count; i++) {
            intptr_t offset = (intptr_t)i * (intptr_t)d->stride;
            each_row(at, item, entry, rows, dimension - 1, begin + offset, size, shadow != NULL ? shadow + offset : NULL);
        }
    } else if (shadow != NULL) {
        memcpy((void *)(uintptr_t)begin, shadow, size);
    } else {
        move(at, item, entry, begin, size);
    }
}

/* Reading more than is asked for does no harm: one copy of the whole range, from which the host takes its bytes.  False
   when too much would be read, or pointers in it are attached. */
static bool from_shadow(ompls_place at, const ompls_item_desc *item, ompls_entry *entry, const ompls_arg *arg, const ompls_arg *all,
                        const ompls_rows *rows) {
    uint64_t wanted = arg->size;
    for (uint32_t i = 0; i < rows->count; i++) wanted *= rows->dimension[i].count;
    if ((item->flags & OMPLS_MAP_TO) || all->size / 16 > wanted || atomic_load(&entry->attachments) != NULL) return false;
    char *shadow = malloc(all->size);
    if (shadow == NULL) return false;
    ompls_copy_out(at, item->name, shadow, atomic_load(&entry->device) + ((uintptr_t)all->begin - atomic_load(&entry->begin)), all->size);
    each_row(at, item, entry, rows, rows->count, arg->begin, arg->size, shadow + ((uintptr_t)arg->begin - (uintptr_t)all->begin));
    free(shadow);
    return true;
}

void ompls_start_update(ompls_place at, const ompls_arg *args) {
    for (uint32_t i = 0; i < at.region->nitems; i++) {
        const ompls_item_desc *item = &at.region->items[i];
        const ompls_rows *rows = item->flags & OMPLS_MAP_ROWS ? args[i].pointer : NULL;
        ompls_arg arg = rows != NULL ? hull(&args[i], rows) : args[i];
        ompls_reference reference;
        if (arg.size == 0 || !ompls_find_item(at, item, &arg, &reference)) continue;
        if (OMPLS_UNLIKELY(ompls_observing))
            ompls_observe(&(ompls_event){.kind = "update", .at = at, .var = item->name, .host = arg.begin, .bytes = arg.size});
        if (rows == NULL) move(at, item, reference.entry, arg.begin, arg.size);
        else if (!from_shadow(at, item, reference.entry, &args[i], &arg, rows))
            each_row(at, item, reference.entry, rows, rows->count, args[i].begin, args[i].size, NULL);
    }
}

static void update_all(ompls_place at, const ompls_arg *args) {
    ompls_start_update(at, args);
    if (at.region->nitems > 0) ompls_settle(at);
}

/* --- entry points ---------------------------------------------------------------------------------------------------- */

static void perform(void (*work)(ompls_place, const ompls_arg *), ompls_place at, const ompls_arg *args) {
    if (at.device == NULL) return;
    int kind = work == enter_all ? OMPLS_TOOL_ENTER : work == exit_all ? OMPLS_TOOL_EXIT : OMPLS_TOOL_UPDATE;
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_construct(at, kind, true);
    work(at, args);
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_construct(at, kind, false);
    if (OMPLS_UNLIKELY(ompls_observing)) ompls_observed();
}

static void run(void (*work)(ompls_place, const ompls_arg *), ompls_region *region, int64_t device, const ompls_arg *args) {
    ompls_place at = {ompls_resolve(region, device), region};
    if (OMPLS_LIKELY(region->nlists == 0)) {
        perform(work, at, args);
        return;
    }
    ompls_expanded *expanded = ompls_expand(region, args);
    at.region = &expanded->region;
    perform(work, at, expanded->args);
    ompls_expanded_done(expanded);
}

void ompls_enter_data(ompls_region *region, int64_t device, const ompls_arg *args) {
    run(enter_all, region, device, args);
}

void ompls_exit_data(ompls_region *region, int64_t device, const ompls_arg *args) {
    run(exit_all, region, device, args);
}

void ompls_update(ompls_region *region, int64_t device, const ompls_arg *args) {
    run(update_all, region, device, args);
}
