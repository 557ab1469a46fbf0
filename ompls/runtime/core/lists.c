/* lists.c -- list items whose number is known when the construct is met: iterators, mappers, rectangles of `target update`.

   Generated code collects them in an `ompls_list`, which one item of the construct (flag LIST) hands over.  Before the
   construct does its work it is expanded: a copy of its description in which what the lists hold stands as ordinary items,
   parts directly behind what they are parts of.  So nothing else in the core knows of lists. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    ompls_item_desc item;
    ompls_arg arg;
    uint32_t first_part, last_part, next_part; /* handles; 0: none */
} entry;

struct ompls_list {
    uint32_t count, capacity;
    uint32_t first_part, last_part; /* of the item before the list */
    entry *entries;                 /* a handle is an index + 1 */
};

static void *must(void *memory) {
    if (memory == NULL) ompls_fail((ompls_place){0}, "map less at a time", "out of memory for the list items of a construct");
    return memory;
}

static entry *grow(ompls_list **where) {
    if (*where == NULL) *where = must(calloc(1, sizeof **where));
    ompls_list *list = *where;
    if (list->count == list->capacity) {
        list->capacity = list->capacity != 0 ? 2 * list->capacity : 16;
        list->entries = must(realloc(list->entries, list->capacity * sizeof *list->entries));
    }
    return memset(&list->entries[list->count++], 0, sizeof *list->entries);
}

/* The elements of an iterator one by one are one section when they follow each other: storage must not be torn apart. */
static bool continues(const entry *last, const char *name, uint32_t flags, const ompls_arg *arg) {
    return last->item.name == name && last->item.flags == flags && last->first_part == 0 && last->arg.base == arg->base &&
           last->arg.pointer == arg->pointer && (uintptr_t)last->arg.begin + last->arg.size == (uintptr_t)arg->begin;
}

uint64_t ompls_list_add(ompls_list **where, const char *name, uint32_t flags, const void *base, const void *begin, uint64_t size,
                        const void *pointer) {
    const ompls_arg arg = {base, begin, size, pointer};
    if (*where != NULL && (*where)->count > 0 && !(flags & OMPLS_MAP_ROWS) &&
        continues(&(*where)->entries[(*where)->count - 1], name, flags, &arg)) {
        (*where)->entries[(*where)->count - 1].arg.size += size;
        return (*where)->count;
    }
    entry *made = grow(where);
    ompls_list *list = *where;
    made->item = (ompls_item_desc){.name = name, .flags = flags};
    made->arg = arg;
    if (flags & OMPLS_MAP_PART) {
        uintptr_t whole = (uintptr_t)pointer;
        uint32_t *first = whole != 0 ? &list->entries[whole - 1].first_part : &list->first_part;
        uint32_t *last = whole != 0 ? &list->entries[whole - 1].last_part : &list->last_part;
        if (*last != 0) list->entries[*last - 1].next_part = list->count;
        else *first = list->count;
        *last = list->count;
    }
    return list->count;
}

/* The last entry, which has the flag ROWS, `count` times, `stride` bytes apart; from the innermost dimension outwards. */
void ompls_list_rows(ompls_list **where, uint64_t count, int64_t stride) {
    ompls_arg *arg = &(*where)->entries[(*where)->count - 1].arg;
    ompls_rows *rows = (ompls_rows *)(uintptr_t)arg->pointer;
    if ((rows == NULL || rows->count == 0) && (stride == (int64_t)arg->size || count <= 1)) {
        arg->size *= count; /* still contiguous */
        return;
    }
    uint32_t dimensions = rows != NULL ? rows->count : 0;
    rows = must(realloc(rows, sizeof *rows + (dimensions + 1) * sizeof rows->dimension[0]));
    rows->count = dimensions + 1;
    rows->dimension[dimensions] = (ompls_rows_dimension){count, stride};
    arg->pointer = rows;
}

static void drop(ompls_list *list) {
    if (list == NULL) return;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->entries[i].item.flags & OMPLS_MAP_ROWS) free((void *)(uintptr_t)list->entries[i].arg.pointer);
    free(list->entries);
    free(list);
}

void ompls_drop_lists(const ompls_region *region, const ompls_arg *args) {
    for (uint32_t i = 0; region->nlists != 0 && i < region->nitems; i++)
        if (region->items[i].flags & OMPLS_MAP_LIST) drop((ompls_list *)(uintptr_t)args[i].pointer);
}

/* --- expanding ------------------------------------------------------------------------------------------------------- */

static void append(ompls_expanded *to, const ompls_item_desc *item, const ompls_arg *arg) {
    to->items[to->region.nitems] = *item;
    to->args[to->region.nitems++] = *arg;
}

static void append_parts(ompls_expanded *to, const ompls_list *list, uint32_t first) {
    for (uint32_t part = first; part != 0; part = list->entries[part - 1].next_part)
        append(to, &list->entries[part - 1].item, &list->entries[part - 1].arg);
}

static void append_list(ompls_expanded *to, const ompls_list *list) {
    append_parts(to, list, list->first_part);
    for (uint32_t i = 0; i < list->count; i++) {
        const entry *e = &list->entries[i];
        if (e->item.flags & OMPLS_MAP_PART) continue;
        append(to, &e->item, &e->arg);
        append_parts(to, list, e->first_part);
    }
}

ompls_expanded *ompls_expand(const ompls_region *region, const ompls_arg *args) {
    uint64_t count = region->nitems;
    for (uint32_t i = 0; i < region->nitems; i++) {
        const ompls_list *list = region->items[i].flags & OMPLS_MAP_LIST ? args[i].pointer : NULL;
        if (list != NULL) count += list->count;
    }
    uint64_t bytes = sizeof(ompls_expanded) + count * (sizeof(ompls_item_desc) + sizeof(ompls_arg));
    ompls_expanded *to = must(calloc(1, bytes + region->nparams * sizeof(ompls_param_desc) + region->nitems * sizeof(uint32_t)));
    to->from = region;
    to->given = args;
    to->region = *region;
    to->args = (ompls_arg *)(to + 1);
    to->items = (ompls_item_desc *)(to->args + count);
    to->params = (ompls_param_desc *)(to->items + count);
    uint32_t *now_at = (uint32_t *)(to->params + region->nparams); /* where an item of the construct stands now */
    to->region.nitems = to->region.nlists = 0;
    to->region.items = to->items;
    to->region.params = to->params;
    for (uint32_t i = 0; i < region->nitems; i++) {
        now_at[i] = to->region.nitems;
        if (!(region->items[i].flags & OMPLS_MAP_LIST)) append(to, &region->items[i], &args[i]);
        else if (args[i].pointer != NULL) append_list(to, args[i].pointer);
    }
    for (uint32_t i = 0; i < region->nparams; i++) {
        to->params[i] = region->params[i];
        if (ompls_is_address(&to->params[i])) to->params[i].index = now_at[to->params[i].index];
    }
    return to;
}

void ompls_expanded_done(ompls_expanded *expanded) {
    if (expanded == NULL) return;
    ompls_drop_lists(expanded->from, expanded->given);
    free(expanded);
}
