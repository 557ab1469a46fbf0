/* Random constructs on the sections of one array, compared after each step with a model that is too simple to be wrong:
   a list of entries with counts and values of their own.  Usage: model SEED STEPS. */
#include <omp.h>
#include <string.h>

#include "mock.h"

enum { LENGTH = 48, DEPTH = 6 };

typedef struct {
    int begin, end, count;
    int value[LENGTH]; /* what the device holds, by the array's index */
} model_entry;

static int host[LENGTH], model_host[LENGTH];
static model_entry entries[LENGTH];
static int nentries;
static unsigned state;

static int random_below(int limit) {
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (unsigned)limit);
}

static model_entry *entry_of(int begin, int end) {
    for (int i = 0; i < nentries; i++)
        if (entries[i].begin <= begin && end <= entries[i].end) return &entries[i];
    return NULL;
}

static bool overlaps(int begin, int end) {
    for (int i = 0; i < nentries; i++)
        if (entries[i].begin < end && begin < entries[i].end) return true;
    return false;
}

static void model_in(model_entry *entry, int begin, int end) {
    for (int i = begin; i < end; i++) entry->value[i] = model_host[i];
}

static void model_out(model_entry *entry, int begin, int end) {
    for (int i = begin; i < end; i++) model_host[i] = entry->value[i];
}

enum { ITEMS = 4 };
typedef struct {
    int begin, end;
    uint32_t flags;
} section;

/* Each entry is counted once for all items of a construct (OpenMP 5.2 section 5.8.3).  `filled`: elements that only the
   device knows, since they were mapped without a copy. */
static void model_enter(const section *items, int count, bool *filled) {
    bool counted[LENGTH] = {false}, fresh[LENGTH] = {false};
    for (int i = 0; i < LENGTH; i++) filled[i] = false;
    for (int i = 0; i < count; i++) {
        model_entry *entry = entry_of(items[i].begin, items[i].end);
        if (entry == NULL) {
            entry = &entries[nentries++];
            *entry = (model_entry){.begin = items[i].begin, .end = items[i].end};
            fresh[entry - entries] = true;
            for (int k = items[i].begin; k < items[i].end; k++) filled[k] = true;
        }
        if (!counted[entry - entries]) entry->count++;
        counted[entry - entries] = true;
        if (!(items[i].flags & OMPLS_MAP_TO) || !(fresh[entry - entries] || (items[i].flags & OMPLS_MAP_ALWAYS))) continue;
        model_in(entry, items[i].begin, items[i].end);
        for (int k = items[i].begin; k < items[i].end; k++) filled[k] = false;
    }
}

static void model_exit(const section *items, int count) {
    bool counted[LENGTH] = {false};
    for (int i = 0; i < count; i++) {
        model_entry *entry = entry_of(items[i].begin, items[i].end);
        if (entry == NULL) continue;
        if (items[i].flags & OMPLS_MAP_DELETE) entry->count = 0;
        else if (!counted[entry - entries] && entry->count > 0) entry->count--;
        counted[entry - entries] = true;
    }
    for (int i = 0; i < count; i++) {
        model_entry *entry = entry_of(items[i].begin, items[i].end);
        if (entry != NULL && (items[i].flags & OMPLS_MAP_FROM) && (entry->count == 0 || (items[i].flags & OMPLS_MAP_ALWAYS)))
            model_out(entry, items[i].begin, items[i].end);
    }
    for (int i = nentries; i-- > 0;)
        if (entries[i].count == 0) entries[i] = entries[--nentries];
}

/* Values whose copies matter: what `alloc` leaves on the device is not compared until something was written there. */
static void write_somewhere(void) {
    for (int i = 0; i < LENGTH; i++) {
        if (random_below(4) == 0) host[i] = model_host[i] = random_below(1000);
        model_entry *entry = entry_of(i, i + 1);
        if (entry == NULL || random_below(4) != 0) continue;
        entry->value[i] = random_below(1000);
        memcpy(ompls_device_address(0, &host[i]), &entry->value[i], sizeof(int));
    }
}

static void compare(int step) {
    for (int i = 0; i < LENGTH; i++) {
        model_entry *entry = entry_of(i, i + 1);
        bool same = host[i] == model_host[i] && omp_target_is_present(&host[i], 0) == (entry != NULL);
        if (same && entry != NULL) same = memcmp(ompls_device_address(0, &host[i]), &entry->value[i], sizeof(int)) == 0;
        if (same) continue;
        fprintf(stderr, "step %d, element %d: host %d, model %d, present %d, in the model %d\n", step, i, host[i], model_host[i],
                omp_target_is_present(&host[i], 0), entry != NULL);
        abort();
    }
    if (getenv("MOCK_GATHER") == NULL) MOCK_CHECK(mock_allocs - mock_frees == nentries);
    if (nentries == 0) MOCK_CHECK(mock_allocs == mock_frees);
}

/* `alloc` leaves what was there: both sides are told the same bytes. */
static void fill_fresh(const bool *filled) {
    for (int i = 0; i < LENGTH; i++)
        if (filled[i]) memcpy(&entry_of(i, i + 1)->value[i], ompls_device_address(0, &host[i]), sizeof(int));
}

/* A construct; its items overlap neither each other nor what is there by half, which would be an error (test_core.py). */
typedef struct {
    ompls_region region;
    ompls_item_desc item[ITEMS];
    ompls_arg arg[ITEMS];
    section section[ITEMS];
    struct ompls_env *env;
} construct;

static bool fits(const construct *made, int count, int begin, int end) {
    if (entry_of(begin, end) == NULL && overlaps(begin, end)) return false;
    for (int i = 0; i < count; i++) {
        const section *other = &made->section[i];
        if (other->begin < end && begin < other->end && !(other->begin <= begin && end <= other->end)) return false;
    }
    return true;
}

static void make(construct *made, int step, const uint32_t *flags, int nflags) {
    int count = 0;
    for (int tries = 1 + random_below(ITEMS); tries > 0; tries--) {
        int begin = random_below(LENGTH), end = begin + 1 + random_below(LENGTH - begin > 12 ? 12 : LENGTH - begin);
        if (count > 0 && random_below(3) == 0) begin = made->section[0].begin, end = made->section[0].end;
        if (!fits(made, count, begin, end)) continue;
        made->section[count] = (section){begin, end, flags[random_below(nflags)]};
        made->item[count] = (ompls_item_desc){"host", made->section[count].flags};
        made->arg[count++] = (ompls_arg){host, &host[begin], (uint64_t)(end - begin) * sizeof *host, NULL};
    }
    made->region = (ompls_region){"model.c", (uint32_t)step, 0, OMPLS_MODE_SPMD, (uint32_t)count, 0, 0, made->item, 0, 0, 0, 0};
}

static void update(construct *made) {
    ompls_update(&made->region, 0, made->arg);
    for (uint32_t i = 0; i < made->region.nitems; i++) {
        section *s = &made->section[i];
        model_entry *entry = entry_of(s->begin, s->end);
        if (entry != NULL && s->flags == OMPLS_MAP_TO) model_in(entry, s->begin, s->end);
        if (entry != NULL && s->flags == OMPLS_MAP_FROM) model_out(entry, s->begin, s->end);
    }
}

int main(int argc, char **argv) {
    static const uint32_t enters[] = {OMPLS_MAP_TO, 0, OMPLS_MAP_TO | OMPLS_MAP_ALWAYS}, updates[] = {OMPLS_MAP_TO, OMPLS_MAP_FROM};
    static const uint32_t exits[] = {OMPLS_MAP_FROM, OMPLS_MAP_RELEASE, OMPLS_MAP_DELETE, OMPLS_MAP_FROM | OMPLS_MAP_ALWAYS};
    static const uint32_t both = OMPLS_MAP_TO | OMPLS_MAP_FROM;
    static construct stack[DEPTH], once;
    bool filled[LENGTH];
    int depth = 0, steps = argc > 2 ? atoi(argv[2]) : 1000;
    state = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    for (int step = 0; step < steps; step++) {
        switch (random_below(6)) {
        case 0:
        case 1:
            make(&once, step, enters, 3);
            ompls_enter_data(&once.region, 0, once.arg);
            model_enter(once.section, (int)once.region.nitems, filled);
            fill_fresh(filled);
            break;
        case 2:
            /* What an environment holds must not be taken from it here: its end would be another story (mapping.c). */
            if (depth > 0) continue;
            make(&once, step, exits, 4);
            ompls_exit_data(&once.region, 0, once.arg);
            model_exit(once.section, (int)once.region.nitems);
            break;
        case 3:
            make(&once, step, updates, 2);
            for (uint32_t i = 1; i < once.region.nitems; i++) once.section[i].flags = once.item[i].flags = once.item[0].flags;
            update(&once);
            break;
        case 4:
            if (depth == DEPTH) continue;
            make(&stack[depth], step, &both, 1);
            stack[depth].env = ompls_data_begin(&stack[depth].region, 0, stack[depth].arg);
            model_enter(stack[depth].section, (int)stack[depth].region.nitems, filled);
            depth++;
            break;
        default:
            if (depth == 0) continue;
            depth--;
            ompls_data_end(&stack[depth].region, stack[depth].env);
            model_exit(stack[depth].section, (int)stack[depth].region.nitems);
            free(stack[depth].region.cache);
            break;
        }
        compare(step);
        write_somewhere();
    }
    while (depth-- > 0) ompls_data_end(&stack[depth].region, stack[depth].env);
    nentries = 0;
    omp_pause_resource(omp_pause_hard, 0);
    MOCK_CHECK(mock_allocs == mock_frees && atomic_load(&ompls_device_at(0)->table.count) == 0);
    make(&once, steps, enters, 1);
    ompls_enter_data(&once.region, 0, once.arg);
    MOCK_CHECK(mock_allocs > mock_frees);
    omp_pause_resource(omp_pause_hard, 0);
    MOCK_CHECK(mock_allocs == mock_frees && atomic_load(&ompls_device_at(0)->table.count) == 0);
    return 0;
}
