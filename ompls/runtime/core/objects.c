/* objects.c -- the program's arrays, as the translated units announce them: what comes back from a device has to lie in one.

   A section that is longer than its array would write over what lies behind that: variables of the program, or ours. */
#include "core.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ompls_object *objects; /* by address */
static uint32_t nobjects;

/* The number of those that begin at `address` or before. */
static uint32_t begun_at(uintptr_t address) {
    uint32_t low = 0, high = nobjects;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if ((uintptr_t)objects[middle].address <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

void ompls_register_objects(const ompls_object *of, uint32_t count) {
    ompls_object *grown = realloc(objects, (nobjects + count) * sizeof *grown);
    if (grown == NULL) return; /* then nothing is known of them */
    objects = grown;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = begun_at((uintptr_t)of[i].address);
        memmove(objects + place + 1, objects + place, (nobjects++ - place) * sizeof *objects);
        objects[place] = of[i];
    }
}

/* The array that the item names, or the one in which it begins.  False: not known. */
static bool array_of(const ompls_item_desc *item, const ompls_arg *arg, ompls_object *array) {
    *array = (ompls_object){"its array", arg->base, item->whole};
    if (item->whole != 0) return true;
    uint32_t place = begun_at((uintptr_t)arg->begin);
    if (place != 0) *array = objects[place - 1];
    return place != 0;
}

void ompls_check_end(ompls_place at, const ompls_item_desc *item, const ompls_arg *arg) {
    ompls_object array;
    if (!array_of(item, arg, &array)) return;
    uintptr_t begin = (uintptr_t)arg->begin, first = (uintptr_t)array.address, last = first + array.size;
    if (begin >= last || begin + arg->size <= last) return;
    pthread_mutex_unlock(&at.device->table.lock);
    const char *quote = item->whole != 0 ? "" : "'";
    ompls_fail(at, "a section is [first:length]", "'%s' would bring back %" PRIu64 " bytes to byte %" PRIuPTR " of %s%s%s, which has %" PRIu64,
               item->name, arg->size, begin - first, quote, array.name, quote, array.size);
}

/* --- under --check --------------------------------------------------------------------------------------------------------- */

bool ompls_checks_overlap; /* asked once, as each mapped item would pay for it */

static __attribute__((constructor)) void ask(void) {
    const char *text = getenv("OMPLS_CHECK");
    ompls_checks_overlap = text != NULL && *text != '\0' && strcmp(text, "none") != 0;
}

void ompls_check_overlap(ompls_place at, const char *name, const ompls_arg *arg) {
    for (int i = 0; i < ompls_device_count(); i++) {
        ompls_device *other = ompls_device_at(i);
        ompls_entry *overlapping;
        ompls_reference there;
        bool found;
        if (other == at.device || atomic_load(&other->status) != OMPLS_OPEN) continue;
        ompls_table_lock(&other->table);
        bool known = ompls_table_look(&other->table, (uintptr_t)arg->begin, ompls_end_of(arg), &overlapping, &there, &found);
        const ompls_entry *entry = known && (found || overlapping != NULL) ? there.entry : NULL;
        if (entry != NULL && entry->returns) {
            fflush(stdout);
            fprintf(stderr,
                    "%s:%u: region on %s: hint: '%s' and '%s' on %s overlap, and both are copied back: the last one counts; let each device "
                    "have a part of its own\n",
                    at.region->file, at.region->line, at.device->name, name, entry->name, other->name);
        }
        pthread_mutex_unlock(&other->table.lock);
    }
}
