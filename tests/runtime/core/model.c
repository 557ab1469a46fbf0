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

static void model_enter(uint32_t flags, int begin, int end) {
    model_entry *entry = entry_of(begin, end);
    bool fresh = entry == NULL;
    if (fresh) {
        entry = &entries[nentries++];
        *entry = (model_entry){.begin = begin, .end = end};
    }
    entry->count++;
    if ((flags & OMPLS_MAP_TO) && (fresh || (flags & OMPLS_MAP_ALWAYS))) model_in(entry, begin, end);
}

static void model_exit(uint32_t flags, int begin, int end) {
    model_entry *entry = entry_of(begin, end);
    if (entry == NULL) return;
    entry->count = flags & OMPLS_MAP_DELETE ? 0 : entry->count - 1;
    if ((flags & OMPLS_MAP_FROM) && (entry->count == 0 || (flags & OMPLS_MAP_ALWAYS))) model_out(entry, begin, end);
    if (entry->count == 0) *entry = entries[--nentries];
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
    MOCK_CHECK(mock_allocs - mock_frees == nentries);
}

/* `alloc` leaves what was there: both sides are told the same bytes. */
static void fill_fresh(int begin, int end) {
    model_entry *entry = entry_of(begin, end);
    for (int i = begin; i < end; i++) memcpy(&entry->value[i], ompls_device_address(0, &host[i]), sizeof(int));
}

int main(int argc, char **argv) {
    static const uint32_t enters[] = {OMPLS_MAP_TO, 0, OMPLS_MAP_TO | OMPLS_MAP_ALWAYS};
    static const uint32_t exits[] = {OMPLS_MAP_FROM, OMPLS_MAP_RELEASE, OMPLS_MAP_DELETE, OMPLS_MAP_FROM | OMPLS_MAP_ALWAYS};
    static const uint32_t both = OMPLS_MAP_TO | OMPLS_MAP_FROM;
    struct {
        ompls_region region;
        ompls_item_desc item;
        struct ompls_env *env;
        int begin, end;
    } stack[DEPTH];
    int depth = 0, steps = argc > 2 ? atoi(argv[2]) : 1000;
    state = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    for (int step = 0; step < steps; step++) {
        int begin = random_below(LENGTH), end = begin + 1 + random_below(LENGTH - begin > 12 ? 12 : LENGTH - begin);
        if (entry_of(begin, end) == NULL && overlaps(begin, end)) continue; /* an error: test_core.py */
        ompls_arg arg = {host, &host[begin], (uint64_t)(end - begin) * sizeof *host, NULL};
        ompls_item_desc item = {"host", 0};
        ompls_region region = {"model.c", (uint32_t)step, 0, OMPLS_MODE_SPMD, 1, 0, 0, &item, 0, 0, 0};
        bool fresh = entry_of(begin, end) == NULL;
        switch (random_below(6)) {
        case 0:
        case 1:
            item.flags = enters[random_below(3)];
            ompls_enter_data(&region, 0, &arg);
            model_enter(item.flags, begin, end);
            if (fresh && item.flags == 0) fill_fresh(begin, end);
            break;
        case 2:
            item.flags = exits[random_below(4)];
            /* What an environment holds must not be taken from it here: its end would be another story (mapping.c). */
            if (depth > 0) continue;
            ompls_exit_data(&region, 0, &arg);
            model_exit(item.flags, begin, end);
            break;
        case 3:
            item.flags = 1u << random_below(2);
            ompls_update(&region, 0, &arg);
            if (!fresh && item.flags == OMPLS_MAP_TO) model_in(entry_of(begin, end), begin, end);
            if (!fresh && item.flags == OMPLS_MAP_FROM) model_out(entry_of(begin, end), begin, end);
            break;
        case 4:
            if (depth == DEPTH) continue;
            stack[depth].item = (ompls_item_desc){"host", both};
            stack[depth].region = region;
            stack[depth].region.items = &stack[depth].item;
            stack[depth].begin = begin, stack[depth].end = end;
            stack[depth].env = ompls_data_begin(&stack[depth].region, 0, &arg);
            depth++;
            model_enter(both, begin, end);
            break;
        default:
            if (depth == 0) continue;
            depth--;
            ompls_data_end(&stack[depth].region, stack[depth].env);
            model_exit(both, stack[depth].begin, stack[depth].end);
            free(stack[depth].region.cache);
            break;
        }
        compare(step);
        write_somewhere();
    }
    return 0;
}
