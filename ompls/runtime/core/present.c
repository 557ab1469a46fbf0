/* present.c -- the present table of one device: which host ranges have a corresponding range on it, counted.

   Readers take no lock.  The index is an array of entry pointers sorted by address; a reader may see it in the middle of a
   change and then finds a wrong entry or none.  That is harmless, since nothing is believed before the entry itself was
   asked: it reads `state`, then the range, then raises the count by compare-and-swap on the very state it read.  A state
   holds a generation that changes when an entry leaves the table, so the swap fails on an entry that was reused in
   between.  Entries are never given back to malloc while the table lives, and neither are outgrown index arrays (their
   sizes double, so they sum to less than the last).

   Counts are those of OpenMP 5.2 section 5.8: the dynamic count and, apart from it, a count of `hold`s, which only the end
   of the construct that holds takes down.  An entry leaves when both are 0. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

/* state = generation:24 | hold:16 | dynamic:24 */
#define DYNAMIC_ONE ((uint64_t)1)
#define HOLD_ONE ((uint64_t)1 << 24)
#define GENERATION_ONE ((uint64_t)1 << 40)
#define DYNAMIC_MASK (HOLD_ONE - 1)
#define COUNT_MASK (GENERATION_ONE - 1)
#define FOR_EVER DYNAMIC_MASK

struct ompls_slots {
    ompls_slots *older;
    uint32_t capacity;
    _Atomic(ompls_entry *) entry[];
};

enum { CHUNK_ENTRIES = 64 };
struct ompls_chunk {
    ompls_chunk *next;
    ompls_entry entries[CHUNK_ENTRIES];
};

static void *must(void *memory) {
    if (memory == NULL) ompls_fail((ompls_place){0}, "close other programs", "the present table cannot grow: out of memory");
    return memory;
}

void ompls_table_init(ompls_table *table) {
    memset(table, 0, sizeof *table);
    /* Recursive: after a failure under the lock the program's own exit handlers may still ask for what is present. */
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&table->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

void ompls_table_destroy(ompls_table *table) {
    for (ompls_slots *slots = atomic_load(&table->slots), *older; slots != NULL; slots = older) {
        older = slots->older;
        free(slots);
    }
    for (ompls_chunk *chunk = table->chunks, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        for (int i = 0; i < CHUNK_ENTRIES; i++) {
            ompls_attachment *attachment = atomic_load(&chunk->entries[i].attachments);
            while (attachment != NULL) {
                ompls_attachment *after = attachment->next;
                free(attachment);
                attachment = after;
            }
        }
        free(chunk);
    }
    pthread_mutex_destroy(&table->lock);
}

ompls_entry *ompls_table_entry(ompls_table *table, uint32_t index) {
    return atomic_load_explicit(&atomic_load(&table->slots)->entry[index], memory_order_relaxed);
}

/* The number of entries that begin at or before `address`: the candidate is the one before. */
static uint32_t upper_bound(ompls_slots *slots, uint32_t count, uintptr_t address) {
    uint32_t low = 0;
    while (count > 0) {
        uint32_t half = count / 2;
        ompls_entry *entry = atomic_load_explicit(&slots->entry[low + half], memory_order_acquire);
        if (entry != NULL && atomic_load_explicit(&entry->begin, memory_order_relaxed) <= address) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

static uint64_t counted_up(uint64_t state, bool hold) {
    if (hold) return state + HOLD_ONE;
    return (state & DYNAMIC_MASK) == FOR_EVER ? state : state + DYNAMIC_ONE;
}

bool ompls_entry_acquire(ompls_entry *entry, uintptr_t begin, uintptr_t end, bool hold, ompls_reference *out) {
    uint64_t state = atomic_load_explicit(&entry->state, memory_order_acquire);
    do {
        if ((state & COUNT_MASK) == 0) return false;
        if (atomic_load_explicit(&entry->begin, memory_order_relaxed) > begin ||
            atomic_load_explicit(&entry->end, memory_order_relaxed) < end)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&entry->state, &state, counted_up(state, hold), memory_order_acq_rel,
                                                    memory_order_acquire));
    *out = (ompls_reference){entry, state / GENERATION_ONE};
    return true;
}

bool ompls_table_acquire(ompls_table *table, uintptr_t begin, uintptr_t end, bool hold, ompls_reference *out) {
    ompls_slots *slots = atomic_load_explicit(&table->slots, memory_order_acquire);
    if (slots == NULL) return false;
    uint32_t count = atomic_load_explicit(&table->count, memory_order_acquire);
    if (count > slots->capacity) count = slots->capacity;
    uint32_t after = upper_bound(slots, count, begin);
    if (after == 0) return false;
    ompls_entry *entry = atomic_load_explicit(&slots->entry[after - 1], memory_order_acquire);
    return entry != NULL && ompls_entry_acquire(entry, begin, end, hold, out);
}

ompls_release_result ompls_release(const ompls_reference *reference, bool hold) {
    ompls_entry *entry = reference->entry;
    uint64_t state = atomic_load_explicit(&entry->state, memory_order_acquire), next;
    do {
        if (state / GENERATION_ONE != reference->generation) return OMPLS_GONE;
        uint64_t dynamic = state & DYNAMIC_MASK;
        if (hold ? (state & COUNT_MASK) < HOLD_ONE : dynamic == 0) return OMPLS_GONE; /* a delete took it already */
        if (!hold && dynamic == FOR_EVER) return OMPLS_STILL_PRESENT;
        next = state - (hold ? HOLD_ONE : DYNAMIC_ONE);
        if ((next & COUNT_MASK) == 0) return OMPLS_LAST;
    } while (!atomic_compare_exchange_weak_explicit(&entry->state, &state, next, memory_order_acq_rel, memory_order_acquire));
    return OMPLS_STILL_PRESENT;
}

/* --- with the lock held ------------------------------------------------------------------------------------------- */

bool ompls_table_find(ompls_table *table, uintptr_t begin, uintptr_t end, ompls_entry **overlapping, ompls_reference *out) {
    *overlapping = NULL;
    ompls_slots *slots = atomic_load(&table->slots);
    if (slots == NULL) return false;
    uint32_t count = atomic_load(&table->count), after = upper_bound(slots, count, begin);
    ompls_entry *before = after > 0 ? ompls_table_entry(table, after - 1) : NULL;
    ompls_entry *next = after < count ? ompls_table_entry(table, after) : NULL;
    if (before != NULL && atomic_load(&before->end) >= end) {
        *out = (ompls_reference){before, atomic_load(&before->state) / GENERATION_ONE};
        return true;
    }
    if (before != NULL && atomic_load(&before->end) > begin) *overlapping = before;
    else if (next != NULL && atomic_load(&next->begin) < end) *overlapping = next;
    return false;
}

static ompls_entry *take_free(ompls_table *table) {
    if (table->free == NULL) {
        ompls_chunk *chunk = must(calloc(1, sizeof *chunk));
        chunk->next = table->chunks;
        table->chunks = chunk;
        for (int i = CHUNK_ENTRIES; i-- > 0;) {
            chunk->entries[i].next_free = table->free;
            table->free = &chunk->entries[i];
        }
    }
    ompls_entry *entry = table->free;
    table->free = entry->next_free;
    return entry;
}

/* Room for one more, at `place`: readers meanwhile see some entry twice or not at all, see the head of this file. */
static void put(ompls_table *table, uint32_t place, ompls_entry *entry) {
    ompls_slots *slots = atomic_load(&table->slots);
    uint32_t count = atomic_load(&table->count);
    if (slots == NULL || count == slots->capacity) {
        uint32_t capacity = slots == NULL ? 64 : slots->capacity * 2;
        ompls_slots *grown = must(calloc(1, sizeof *grown + capacity * sizeof grown->entry[0]));
        grown->older = slots;
        grown->capacity = capacity;
        for (uint32_t i = 0; i < count; i++) atomic_store_explicit(&grown->entry[i], ompls_table_entry(table, i), memory_order_relaxed);
        atomic_store_explicit(&table->slots, grown, memory_order_release);
        slots = grown;
    }
    for (uint32_t i = count; i > place; i--)
        atomic_store_explicit(&slots->entry[i], atomic_load_explicit(&slots->entry[i - 1], memory_order_relaxed), memory_order_release);
    atomic_store_explicit(&slots->entry[place], entry, memory_order_release);
    atomic_store_explicit(&table->count, count + 1, memory_order_release);
}

ompls_entry *ompls_table_insert(ompls_table *table, uintptr_t begin, uintptr_t end, ompls_address device, const char *name,
                                bool owned, bool hold, bool forever, ompls_reference *out) {
    ompls_entry *entry = take_free(table);
    atomic_store_explicit(&entry->begin, begin, memory_order_relaxed);
    atomic_store_explicit(&entry->end, end, memory_order_relaxed);
    atomic_store_explicit(&entry->device, device, memory_order_relaxed);
    entry->name = name;
    entry->owned = owned;
    uint64_t generation = atomic_load(&entry->state) / GENERATION_ONE;
    uint64_t count = forever ? FOR_EVER : hold ? HOLD_ONE : DYNAMIC_ONE;
    atomic_store_explicit(&entry->state, generation * GENERATION_ONE + count, memory_order_release);
    ompls_slots *slots = atomic_load(&table->slots);
    put(table, slots == NULL ? 0 : upper_bound(slots, atomic_load(&table->count), begin), entry);
    *out = (ompls_reference){entry, generation};
    return entry;
}

static void remove_entry(ompls_table *table, ompls_entry *entry) {
    ompls_slots *slots = atomic_load(&table->slots);
    uint32_t count = atomic_load(&table->count), place = upper_bound(slots, count, atomic_load(&entry->begin)) - 1;
    for (uint32_t i = place; i + 1 < count; i++)
        atomic_store_explicit(&slots->entry[i], atomic_load_explicit(&slots->entry[i + 1], memory_order_relaxed), memory_order_release);
    atomic_store_explicit(&table->count, count - 1, memory_order_release);
}

bool ompls_table_drop(ompls_table *table, const ompls_reference *reference, ompls_drop_kind kind) {
    ompls_entry *entry = reference->entry;
    uint64_t state = atomic_load_explicit(&entry->state, memory_order_acquire), next;
    do {
        if (state / GENERATION_ONE != reference->generation || (state & COUNT_MASK) == 0) return false;
        uint64_t dynamic = state & DYNAMIC_MASK;
        if (kind == OMPLS_DROP_HOLD) {
            if ((state & COUNT_MASK) < HOLD_ONE) return false;
            next = state - HOLD_ONE;
        } else {
            if (dynamic == 0 || (dynamic == FOR_EVER && kind != OMPLS_DROP_ANY)) return false;
            next = state - (kind == OMPLS_DROP_ONE ? DYNAMIC_ONE : dynamic);
        }
        if ((next & COUNT_MASK) == 0) next = (state & ~COUNT_MASK) + GENERATION_ONE;
    } while (!atomic_compare_exchange_weak_explicit(&entry->state, &state, next, memory_order_acq_rel, memory_order_acquire));
    if ((next & COUNT_MASK) != 0) return false;
    remove_entry(table, entry);
    return true;
}

void ompls_table_recycle(ompls_table *table, ompls_entry *entry) {
    ompls_attachment *attachment = atomic_exchange(&entry->attachments, NULL);
    while (attachment != NULL) {
        ompls_attachment *after = attachment->next;
        free(attachment);
        attachment = after;
    }
    entry->next_free = table->free;
    table->free = entry;
}

int64_t ompls_entry_count(const ompls_entry *entry) {
    uint64_t state = atomic_load_explicit(&((ompls_entry *)entry)->state, memory_order_relaxed);
    if ((state & DYNAMIC_MASK) == FOR_EVER) return -1;
    return (int64_t)((state & DYNAMIC_MASK) + ((state & COUNT_MASK) / HOLD_ONE));
}
