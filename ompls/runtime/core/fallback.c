/* fallback.c -- host fallback where data are on the device: its image lacks the kernel, or it was lost and its memory was not.

   The region's items enter as for a kernel.  Then what the region can reach on the device (the items, what pointers that are
   attached in them lead to, `declare target` variables) comes to the host's variables, and the host's own bytes are put
   aside: the two need not be the same (OpenMP 5.2 section 5.8.3).  When the region has ended (ompls_target_done), what it
   changed goes to the device, byte by byte, since others may run kernels on the rest; the host's bytes come back, and the
   items leave.  One region at a time.

   What cannot be helped: other host threads that use such a variable meanwhile see the device's values, and variables that
   only a kernel's text knows (static ones of its functions) are the host's. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

/* What is the host's for a while.  `own` is 0 where both had the same. */
typedef struct {
    ompls_reference reference;
    char *host, *own, *theirs;
    uint64_t size;
} visitor;

typedef struct fallback {
    struct fallback *outer; /* a region in a region */
    ompls_traffic traffic;
    ompls_expanded *expanded;
    visitor *visitors;
    uint32_t count, room;
    ompls_held items[];
} fallback;

static _Thread_local fallback *current;
static pthread_mutex_t one_at_a_time;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void new_lock(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&one_at_a_time, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static void make_lock(void) {
    new_lock();
    pthread_atfork(NULL, NULL, new_lock); /* who held it is not in the child */
}

static void *must(ompls_place at, void *memory) {
    if (memory == NULL) ompls_fail(at, "close other programs", "out of memory for a region that the host runs on the device's data");
    return memory;
}

/* --- what the region can reach ---------------------------------------------------------------------------------------- */

/* With the table's lock held, or the entry counted. */
static void invite(void *of, const ompls_reference *reference) {
    fallback *f = of;
    ompls_entry *entry = reference->entry;
    if (entry == NULL || entry->lent || entry->visiting || ompls_entry_count(entry) == 0) return;
    if (ompls_reference_to(entry).generation != reference->generation) return; /* it has gone, and is something else */
    if (f->count == f->room) {
        f->room = f->room != 0 ? 2 * f->room : 16;
        f->visitors = must(f->traffic.at, realloc(f->visitors, f->room * sizeof *f->visitors));
    }
    entry->visiting = true;
    uintptr_t begin = atomic_load(&entry->begin);
    f->visitors[f->count++] = (visitor){.reference = *reference, .host = (char *)begin, .size = atomic_load(&entry->end) - begin};
}

static void invite_all(fallback *f) {
    ompls_device *device = f->traffic.at.device;
    const ompls_attachment *end;
    for (uint32_t i = 0; i < f->traffic.at.region->nitems; i++) invite(f, &f->items[i].reference);
    ompls_table_lock(&device->table);
    ompls_visit_globals(device, invite, f);
    for (uint32_t i = 0; i < f->count; i++)
        for (const ompls_attachment *a = ompls_attachments_from(f->visitors[i].reference.entry, 0, &end); a < end; a++)
            if (!a->follows) invite(f, &a->to);
    pthread_mutex_unlock(&device->table.lock);
}

/* --- there and back --------------------------------------------------------------------------------------------------- */

static ompls_address device_of(const visitor *v) {
    return atomic_load(&v->reference.entry->device);
}

static void fetch(fallback *f, visitor *v) {
    ompls_place at = f->traffic.at;
    ompls_entry *entry = v->reference.entry;
    const ompls_attachment *end;
    v->theirs = must(at, malloc(v->size));
    ompls_follow(at, entry);
    ompls_copy_out(at, entry->name, v->theirs, device_of(v), v->size);
    ompls_table_lock(&at.device->table);
    for (const ompls_attachment *a = ompls_attachments_from(entry, 0, &end); a < end; a++)
        if (!a->follows) memcpy(v->theirs + a->offset, &a->host, sizeof a->host);
    ompls_restore_pointers(at.device, entry, v->theirs);
    pthread_mutex_unlock(&at.device->table.lock);
    if (memcmp(v->host, v->theirs, v->size) == 0) return; /* it may be constant */
    v->own = memcpy(must(at, malloc(v->size)), v->host, v->size);
    memcpy(v->host, v->theirs, v->size);
}

static void send_back(fallback *f, visitor *v) {
    ompls_entry *entry = v->reference.entry;
    bool there = ompls_reference_to(entry).generation == v->reference.generation && ompls_entry_count(entry) != 0;
    for (uint64_t i = 0, first; i < v->size; i++) {
        for (first = i; i < v->size && v->host[i] != v->theirs[i]; i++) continue;
        if (i > first && there) ompls_copy_in(f->traffic.at, entry->name, device_of(v) + first, v->host + first, i - first);
    }
    const char *before = v->own != NULL ? v->own : v->theirs;
    if (memcmp(v->host, before, v->size) != 0) memcpy(v->host, before, v->size);
    entry->visiting = false;
    free(v->own);
    free(v->theirs);
}

void ompls_fall_back(const ompls_traffic *traffic, ompls_expanded *expanded) {
    ompls_place at = traffic->at;
    size_t items = at.region->nitems * sizeof(ompls_held);
    fallback *f = must(at, calloc(1, sizeof *f + items));
    f->traffic = *traffic;
    f->expanded = expanded;
    if (items > 0) memcpy(f->items, traffic->items, items);
    f->traffic.items = f->items;
    ompls_entered(&f->traffic);
    pthread_once(&once, make_lock);
    pthread_mutex_lock(&one_at_a_time);
    invite_all(f);
    for (uint32_t i = 0; i < f->count; i++) fetch(f, &f->visitors[i]);
    f->outer = current;
    current = f;
}

int ompls_target_done(ompls_region *region) {
    fallback *f = current;
    if (OMPLS_LIKELY(f == NULL)) return 1;
    const ompls_region *begun = f->expanded != NULL ? f->expanded->from : f->traffic.at.region;
    if (begun != region) return 1; /* one inside of it, that the host runs on its own data */
    current = f->outer;
    for (uint32_t i = 0; i < f->count; i++) send_back(f, &f->visitors[i]);
    pthread_mutex_unlock(&one_at_a_time);
    ompls_leave_items(&f->traffic);
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_construct(f->traffic.at, OMPLS_TOOL_TARGET, false);
    if (f->expanded != NULL) ompls_expanded_done(f->expanded);
    free(f->visitors);
    free(f);
    return 1;
}
