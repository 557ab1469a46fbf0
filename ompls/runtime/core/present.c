/* present.c -- the present table of one device: which host ranges have a corresponding range on it, counted.

   Entries are found by range in constant time on average.  An entry has a size class c, so that it is no longer than 2^c
   bytes (256 at least) and touches at most two of the blocks of 2^c bytes that memory divides into; it stands in the bucket
   of each.  Whatever contains an address is in the bucket of that address's block, for one of the classes in use, of which
   a program has few.  Entries do not overlap, so a block of their own class holds at most three of them, or what fits into
   256 bytes.  (The paper on device support in OMPi, section 4.1, has one hash table an environment, by exact address.)

   Readers take no lock.  A reader may see a bucket in the middle of a change and then finds a wrong entry or none.  That is
   harmless, since nothing is believed before the entry itself was asked: it reads `state`, then the range, then raises the
   count by compare-and-swap on the very state it read.  A state holds a generation that changes when an entry leaves the
   table, so the swap fails on an entry that was reused in between.  Entries are never given back to malloc while the table
   lives, and neither are outgrown buckets (their sizes double, so they sum to less than the last).

   Counts are those of OpenMP 5.2 section 5.8: the dynamic count and, apart from it, a count of `hold`s, which only the end
   of the construct that holds takes down.

   An entry with both counts 0 is on its way: one thread allocates and copies what arrives, or copies back and frees what
   leaves, without the lock.  Nobody can count such an entry; who looks for its range under the lock waits for it, and for it
   only.  That thread waits for no other entry in between, so no two of them wait for each other. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

/* state = generation:24 | hold:16 | dynamic:24 */
#define DYNAMIC_ONE ((uint64_t)1)
#define HOLD_ONE ((uint64_t)1 << 24)
#define GENERATION_ONE ((uint64_t)1 << 40)
#define DYNAMIC_MASK (HOLD_ONE - 1)
#define COUNT_MASK (GENERATION_ONE - 1)
#define HOLD_MASK (COUNT_MASK - DYNAMIC_MASK)
#define FOR_EVER DYNAMIC_MASK

struct ompls_buckets {
    ompls_buckets *older;
    uint32_t size; /* a power of two */
    _Atomic(ompls_link *) head[];
};

enum { CHUNK_ENTRIES = 64, FIRST_BUCKETS = 128, SMALLEST_CLASS = 8, CLASS_BITS = 6 };
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
    pthread_cond_init(&table->moved, NULL);
}

void ompls_table_destroy(ompls_table *table) {
    for (ompls_buckets *buckets = atomic_load(&table->buckets), *older; buckets != NULL; buckets = older) {
        older = buckets->older;
        free(buckets);
    }
    free(table->entries);
    for (ompls_chunk *chunk = table->chunks, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        for (int i = 0; i < CHUNK_ENTRIES; i++) free(atomic_load(&chunk->entries[i].attachments));
        free(chunk);
    }
    pthread_cond_destroy(&table->moved);
    pthread_mutex_destroy(&table->lock);
}

static void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* The lock is held for less than a microsecond, so to sleep is worth it only when the holder lost its processor. */
void ompls_table_lock(ompls_table *table) {
    enum { PATIENCE = 100 };
    bool waited = pthread_mutex_trylock(&table->lock) != 0;
    for (int i = 0; waited && i < PATIENCE; i++) {
        relax();
        waited = pthread_mutex_trylock(&table->lock) != 0;
    }
    if (waited) pthread_mutex_lock(&table->lock);
    table->acquisitions++;
    table->contended += waited;
}

ompls_entry *ompls_table_entry(ompls_table *table, uint32_t index) {
    return table->entries[index];
}

/* --- classes, blocks, buckets ----------------------------------------------------------------------------------------- */

static unsigned class_of(uint64_t size) {
    return size <= (uint64_t)1 << SMALLEST_CLASS ? SMALLEST_CLASS : 64 - (unsigned)__builtin_clzll(size - 1);
}

static uint64_t key_of(unsigned class, uintptr_t block) {
    return (uint64_t)block << CLASS_BITS | class;
}

static _Atomic(ompls_link *) *bucket_of(ompls_buckets *buckets, uint64_t key) {
    return &buckets->head[(key * 0x9e3779b97f4a7c15u >> 32) & (buckets->size - 1)];
}

/* One more would be for ever, or run into the generation. */
static bool is_full(uint64_t state, bool hold) {
    return hold ? (state & HOLD_MASK) == HOLD_MASK : (state & DYNAMIC_MASK) == FOR_EVER - 1;
}

bool ompls_entry_full(const ompls_entry *entry, bool hold) {
    return is_full(atomic_load(&((ompls_entry *)(uintptr_t)entry)->state), hold);
}

/* False when it can be counted no further. */
static inline bool count_up(uint64_t state, bool hold, uint64_t *next) {
    *next = state + (OMPLS_UNLIKELY(hold) ? HOLD_ONE : DYNAMIC_ONE);
    if (!hold && OMPLS_LIKELY((state & DYNAMIC_MASK) < FOR_EVER - 1)) return true;
    if (!hold && (state & DYNAMIC_MASK) == FOR_EVER) *next = state;
    return !is_full(state, hold);
}

bool ompls_entry_acquire(ompls_entry *entry, uintptr_t begin, uintptr_t end, bool hold, ompls_reference *out) {
    uint64_t state = atomic_load_explicit(&entry->state, memory_order_acquire), next;
    do {
        if ((state & COUNT_MASK) == 0 || OMPLS_UNLIKELY(!count_up(state, hold, &next))) return false;
        if (atomic_load_explicit(&entry->begin, memory_order_relaxed) > begin ||
            atomic_load_explicit(&entry->end, memory_order_relaxed) < end)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&entry->state, &state, next, memory_order_acq_rel, memory_order_acquire));
    *out = (ompls_reference){entry, state / GENERATION_ONE};
    return true;
}

bool ompls_table_acquire(ompls_table *table, uintptr_t begin, uintptr_t end, bool hold, ompls_reference *out) {
    enum { PATIENCE = 256 }; /* a chain that is being changed may lead from one bucket to another */
    ompls_buckets *buckets = atomic_load_explicit(&table->buckets, memory_order_acquire);
    if (buckets == NULL) return false;
    uint64_t classes = atomic_load_explicit(&table->classes, memory_order_relaxed) >> class_of(end - begin) << class_of(end - begin);
    for (; classes != 0; classes &= classes - 1) {
        unsigned class = (unsigned)__builtin_ctzll(classes);
        uint64_t key = key_of(class, begin >> class);
        ompls_link *link = atomic_load_explicit(bucket_of(buckets, key), memory_order_acquire);
        for (int i = 0; link != NULL && i < PATIENCE; i++, link = atomic_load_explicit(&link->next, memory_order_acquire)) {
            if (atomic_load_explicit(&link->key, memory_order_relaxed) != key) continue;
            if (ompls_entry_acquire(link->entry, begin, end, hold, out)) return true;
        }
    }
    return false;
}

static ompls_release_result release(const ompls_reference *reference, ompls_drop_kind kind, bool only_last) {
    ompls_entry *entry = reference->entry;
    uint64_t state = atomic_load_explicit(&entry->state, memory_order_acquire), next;
    do {
        if (state / GENERATION_ONE != reference->generation) return OMPLS_GONE;
        uint64_t dynamic = state & DYNAMIC_MASK;
        if (kind == OMPLS_DROP_HOLD ? (state & COUNT_MASK) < HOLD_ONE : dynamic == 0) return OMPLS_GONE; /* a delete took it */
        if (dynamic == FOR_EVER && (kind == OMPLS_DROP_ONE || kind == OMPLS_DROP_DYNAMIC)) return OMPLS_STILL_PRESENT;
        next = state - (kind == OMPLS_DROP_HOLD ? HOLD_ONE : kind == OMPLS_DROP_ONE ? DYNAMIC_ONE : dynamic);
        if (only_last && (next & COUNT_MASK) != 0) return OMPLS_STILL_PRESENT;
    } while (!atomic_compare_exchange_weak_explicit(&entry->state, &state, next, memory_order_acq_rel, memory_order_acquire));
    return (next & COUNT_MASK) == 0 ? OMPLS_LAST : OMPLS_STILL_PRESENT;
}

ompls_release_result ompls_release(const ompls_reference *reference, ompls_drop_kind kind) {
    return release(reference, kind, false);
}

ompls_release_result ompls_release_last(const ompls_reference *reference, ompls_drop_kind kind) {
    return release(reference, kind, true);
}

ompls_reference ompls_reference_to(ompls_entry *entry) {
    return (ompls_reference){entry, atomic_load(&entry->state) / GENERATION_ONE};
}

/* Either the one who waits sees the new state, or we see that somebody waits: both are sequentially consistent. */
void ompls_table_wake(ompls_table *table) {
    if (OMPLS_LIKELY(atomic_load(&table->waiting) == 0)) return;
    ompls_table_lock(table);
    pthread_cond_broadcast(&table->moved);
    pthread_mutex_unlock(&table->lock);
}

void ompls_entry_arrived(ompls_table *table, ompls_entry *entry, ompls_address device, bool owned, ompls_count_kind count,
                         ompls_reference *out) {
    static const uint64_t counts[] = {DYNAMIC_ONE, HOLD_ONE, FOR_EVER};
    atomic_store_explicit(&entry->device, device, memory_order_relaxed);
    entry->owned = owned;
    *out = ompls_reference_to(entry);
    atomic_store(&entry->state, out->generation * GENERATION_ONE + counts[count]);
    ompls_table_wake(table);
}

/* --- with the lock held ------------------------------------------------------------------------------------------- */

static uintptr_t begin_of(const ompls_entry *entry) {
    return atomic_load_explicit(&((ompls_entry *)(uintptr_t)entry)->begin, memory_order_relaxed);
}

static uintptr_t end_of(const ompls_entry *entry) {
    return atomic_load_explicit(&((ompls_entry *)(uintptr_t)entry)->end, memory_order_relaxed);
}

/* Of *first and the entries of one block that overlap the range, the one at the lowest address. */
static void look(ompls_table *table, unsigned class, uintptr_t block, uintptr_t begin, uintptr_t end, ompls_entry **first) {
    uint64_t key = key_of(class, block);
    ompls_link *link = atomic_load_explicit(bucket_of(atomic_load(&table->buckets), key), memory_order_relaxed);
    for (; link != NULL; link = atomic_load_explicit(&link->next, memory_order_relaxed)) {
        table->visited++;
        ompls_entry *entry = link->entry;
        if (atomic_load_explicit(&link->key, memory_order_relaxed) != key || begin_of(entry) >= end || end_of(entry) <= begin) continue;
        if (*first == NULL || begin_of(entry) < begin_of(*first)) *first = entry;
    }
}

/* The lowest entry that overlaps [begin, end).  Where the range is long and there are small entries, either their blocks
   are looked at one by one or the entries are, whichever is less: a range of that length costs more to copy. */
static ompls_entry *overlapping_entry(ompls_table *table, uintptr_t begin, uintptr_t end) {
    ompls_entry *first = NULL;
    uint32_t count = atomic_load(&table->count);
    for (uint64_t classes = atomic_load(&table->classes); classes != 0; classes &= classes - 1) {
        unsigned class = (unsigned)__builtin_ctzll(classes);
        uintptr_t block = begin >> class, last = (end - 1) >> class;
        if (last - block < count) {
            for (; block <= last; block++) look(table, class, block, begin, end, &first);
            continue;
        }
        for (uint32_t i = 0; i < count; i++) {
            ompls_entry *entry = table->entries[i];
            if (begin_of(entry) < end && end_of(entry) > begin && (first == NULL || begin_of(entry) < begin_of(first))) first = entry;
        }
        table->visited += count;
        break;
    }
    return first;
}

/* True when there was something to wait for.  After an error nobody waits: who made the error may be the one who asks. */
static bool wait_while_moving(ompls_table *table, const ompls_entry *entry) {
    uint64_t state = atomic_load(&((ompls_entry *)(uintptr_t)entry)->state);
    if (OMPLS_LIKELY((state & COUNT_MASK) != 0)) return false;
    atomic_fetch_add(&table->waiting, 1);
    while (atomic_load(&((ompls_entry *)(uintptr_t)entry)->state) == state)
        if (!ompls_end_begun_of(table)) ompls_await(&table->moved, &table->lock);
    atomic_fetch_sub(&table->waiting, 1);
    return true;
}

bool ompls_table_find(ompls_table *table, uintptr_t begin, uintptr_t end, ompls_entry **overlapping, ompls_reference *out) {
    ompls_entry *entry;
    *overlapping = NULL;
    do entry = overlapping_entry(table, begin, end);
    while (entry != NULL && !atomic_load(&ompls_failing) && wait_while_moving(table, entry));
    if (entry == NULL || (atomic_load(&ompls_failing) && ompls_entry_count(entry) == 0)) return false;
    *out = ompls_reference_to(entry);
    if (begin_of(entry) <= begin && end_of(entry) >= end) return true;
    *overlapping = entry;
    return false;
}

bool ompls_table_look(ompls_table *table, uintptr_t begin, uintptr_t end, ompls_entry **overlapping, ompls_reference *out, bool *found) {
    ompls_entry *entry = overlapping_entry(table, begin, end);
    *overlapping = NULL;
    *found = false;
    if (entry == NULL) return true;
    if (ompls_entry_count(entry) == 0) return false;
    *out = ompls_reference_to(entry);
    *found = begin_of(entry) <= begin && end_of(entry) >= end;
    if (!*found) *overlapping = entry;
    return true;
}

static ompls_entry *take_free(ompls_table *table) {
    if (table->free == NULL) {
        ompls_chunk *chunk = must(calloc(1, sizeof *chunk));
        chunk->next = table->chunks;
        table->chunks = chunk;
        for (int i = CHUNK_ENTRIES; i-- > 0;) {
            chunk->entries[i].links[0].entry = chunk->entries[i].links[1].entry = &chunk->entries[i];
            chunk->entries[i].next_free = table->free;
            table->free = &chunk->entries[i];
        }
    }
    ompls_entry *entry = table->free;
    table->free = entry->next_free;
    return entry;
}

static void push(ompls_buckets *buckets, ompls_link *link) {
    _Atomic(ompls_link *) *bucket = bucket_of(buckets, atomic_load_explicit(&link->key, memory_order_relaxed));
    atomic_store_explicit(&link->next, atomic_load_explicit(bucket, memory_order_relaxed), memory_order_release);
    atomic_store_explicit(bucket, link, memory_order_release);
}

static int links_of(const ompls_entry *entry, unsigned class) {
    return begin_of(entry) >> class == (end_of(entry) - 1) >> class ? 1 : 2;
}

/* Load factor at most one.  Readers in the outgrown buckets are led into the new ones and may miss what they look for. */
static void make_room(ompls_table *table) {
    ompls_buckets *buckets = atomic_load(&table->buckets);
    uint32_t count = atomic_load(&table->count);
    if (count == table->room) {
        table->room = table->room != 0 ? table->room * 2 : FIRST_BUCKETS / 2;
        table->entries = must(realloc(table->entries, table->room * sizeof *table->entries));
    }
    if (buckets != NULL && (count + 1) * 2 <= buckets->size) return;
    uint32_t size = buckets != NULL ? buckets->size * 2 : FIRST_BUCKETS;
    ompls_buckets *grown = must(calloc(1, sizeof *grown + size * sizeof grown->head[0]));
    grown->older = buckets;
    grown->size = size;
    for (uint32_t i = 0; i < count; i++) {
        ompls_entry *entry = table->entries[i];
        for (int k = links_of(entry, class_of(end_of(entry) - begin_of(entry))); k-- > 0;) push(grown, &entry->links[k]);
    }
    atomic_store_explicit(&table->buckets, grown, memory_order_release);
}

static void put(ompls_table *table, ompls_entry *entry) {
    unsigned class = class_of(end_of(entry) - begin_of(entry));
    uint32_t count = atomic_load(&table->count);
    make_room(table);
    if (table->in_class[class]++ == 0) atomic_fetch_or(&table->classes, (uint64_t)1 << class);
    uintptr_t blocks[2] = {begin_of(entry) >> class, (end_of(entry) - 1) >> class};
    for (int k = links_of(entry, class); k-- > 0;) {
        atomic_store_explicit(&entry->links[k].key, key_of(class, blocks[k]), memory_order_relaxed);
        push(atomic_load(&table->buckets), &entry->links[k]);
    }
    entry->place = count;
    table->entries[count] = entry;
    atomic_store_explicit(&table->count, count + 1, memory_order_release);
}

ompls_entry *ompls_table_insert(ompls_table *table, uintptr_t begin, uintptr_t end, const char *name) {
    ompls_entry *entry = take_free(table);
    atomic_store_explicit(&entry->begin, begin, memory_order_relaxed);
    atomic_store_explicit(&entry->end, end, memory_order_relaxed);
    atomic_store_explicit(&entry->device, 0, memory_order_relaxed);
    entry->base = begin;
    entry->name = name;
    entry->skew = 0;
    entry->lent = entry->returns = false;
    entry->block = NULL;
    atomic_store_explicit(&entry->mark, 0, memory_order_relaxed);
    put(table, entry);
    return entry;
}

static void take_out(ompls_table *table, ompls_entry *entry) {
    unsigned class = class_of(end_of(entry) - begin_of(entry));
    ompls_buckets *buckets = atomic_load(&table->buckets);
    for (int k = links_of(entry, class); k-- > 0;) {
        _Atomic(ompls_link *) *where = bucket_of(buckets, atomic_load_explicit(&entry->links[k].key, memory_order_relaxed));
        for (ompls_link *link; (link = atomic_load_explicit(where, memory_order_relaxed)) != &entry->links[k]; where = &link->next)
            table->visited++;
        atomic_store_explicit(where, atomic_load_explicit(&entry->links[k].next, memory_order_relaxed), memory_order_release);
    }
    if (--table->in_class[class] == 0) atomic_fetch_and(&table->classes, ~((uint64_t)1 << class));
    uint32_t last = atomic_load(&table->count) - 1;
    table->entries[entry->place] = table->entries[last];
    table->entries[entry->place]->place = entry->place;
    atomic_store_explicit(&table->count, last, memory_order_release);
}

static bool is_extended(const ompls_entry *entry) {
    return entry->base < begin_of(entry) || entry->base >= end_of(entry);
}

void ompls_table_extend(ompls_table *table, ompls_entry *entry, uintptr_t base) {
    entry->base = base;
    table->extended += is_extended(entry);
}

ompls_entry *ompls_table_extended(ompls_table *table, uintptr_t address) {
    ompls_entry *found = NULL;
    uint32_t count = table->extended > 0 ? atomic_load(&table->count) : 0;
    for (uint32_t i = 0; i < count; i++) {
        ompls_entry *entry = table->entries[i];
        if (!is_extended(entry)) continue;
        bool between = entry->base < begin_of(entry) ? entry->base <= address && address < begin_of(entry)
                                                     : end_of(entry) <= address && address <= entry->base;
        if (between && (found == NULL || entry->base == address)) found = entry;
    }
    table->visited += count;
    return found;
}

void ompls_table_remove(ompls_table *table, ompls_entry *entry) {
    table->extended -= is_extended(entry);
    take_out(table, entry);
    atomic_store(&entry->state, (ompls_reference_to(entry).generation + 1) * GENERATION_ONE);
    free(atomic_exchange(&entry->attachments, NULL));
    entry->next_free = table->free;
    table->free = entry;
    if (atomic_load(&table->waiting) > 0) pthread_cond_broadcast(&table->moved);
}

int64_t ompls_entry_count(const ompls_entry *entry) {
    uint64_t state = atomic_load_explicit(&((ompls_entry *)entry)->state, memory_order_relaxed);
    if ((state & DYNAMIC_MASK) == FOR_EVER) return -1;
    return (int64_t)((state & DYNAMIC_MASK) + ((state & COUNT_MASK) / HOLD_ONE));
}
