/* What the present table costs, by counting.  Usage: scale CASE.

   probes: links that are looked at for each insertion, look-up and removal, with few and with many entries.
   nested THREADS DEPTH: host threads with nested environments; prints ns per environment, the acquisitions of the table's
   lock, and how many of them had to sleep.
   flat ROUNDS: map and unmap; prints resident KiB after a tenth of the rounds and after all. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mock.h"

static const ompls_item_desc items[] = {{"x", OMPLS_MAP_TO}};
static ompls_region data = {.file = "scale.c", .line = 1, .nitems = 1, .items = items};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Sizes from 8 bytes to 64 KiB, side by side. */
static void probes(void) {
    static char memory[1 << 26];
    for (int count = 100; count <= 100000; count *= 10) {
        ompls_table table;
        ompls_table_init(&table);
        static ompls_reference references[100000];
        static uintptr_t begins[100001];
        uintptr_t at = (uintptr_t)memory;
        ompls_entry *overlapping;
        for (int i = 0; i < count; i++) {
            begins[i] = at;
            at += i % 1000 == 0 ? 65536 : (uintptr_t)8 << i % 7;
            begins[i + 1] = at;
            MOCK_CHECK(!ompls_table_find(&table, begins[i], at, &overlapping, &references[i]) && overlapping == NULL);
            ompls_entry_arrived(&table, ompls_table_insert(&table, begins[i], at, "x"), 4096, false, OMPLS_COUNT_ONE, &references[i]);
        }
        double inserted = (double)table.visited / count;
        table.visited = 0;
        for (int i = 0; i < count; i++) {
            ompls_reference found;
            MOCK_CHECK(ompls_table_find(&table, begins[i] + 3, begins[i] + 5, &overlapping, &found) && found.entry == references[i].entry);
            MOCK_CHECK(ompls_table_acquire(&table, begins[i], begins[i + 1], false, &found) && found.entry == references[i].entry);
            MOCK_CHECK(ompls_release(&found, OMPLS_DROP_ONE) == OMPLS_STILL_PRESENT);
        }
        double found = (double)table.visited / count;
        table.visited = 0;
        for (int i = 0; i < count; i++) {
            const ompls_reference *leaving = &references[(i * 7919LL) % count];
            MOCK_CHECK(ompls_release(leaving, OMPLS_DROP_ONE) == OMPLS_LAST);
            ompls_table_remove(&table, leaving->entry);
        }
        printf("%d %.1f %.1f %.1f\n", count, inserted, found, (double)table.visited / count);
        MOCK_CHECK(atomic_load(&table.count) == 0 && atomic_load(&table.classes) == 0);
        ompls_table_destroy(&table);
    }
}

static int depth;

static void *nest(void *unused) {
    (void)unused;
    char *memory = malloc((size_t)depth * 64);
    struct ompls_env **envs = malloc((size_t)depth * sizeof *envs);
    for (int i = 0; i < depth; i++) {
        ompls_arg arg = {memory + i * 64, memory + i * 64, 64, 0};
        envs[i] = ompls_data_begin(&data, 0, &arg);
    }
    for (int i = depth; i-- > 0;) ompls_data_end(&data, envs[i]);
    free(envs);
    free(memory);
    return NULL;
}

static void nested(int threads) {
    pthread_t made[256];
    nest(NULL);
    ompls_table *table = &ompls_device_at(0)->table;
    mock_reset();
    uint64_t before = table->acquisitions, waited = table->contended;
    double began = now();
    for (int i = 0; i < threads; i++) MOCK_CHECK(pthread_create(&made[i], NULL, nest, NULL) == 0);
    for (int i = 0; i < threads; i++) pthread_join(made[i], NULL);
    double each = (now() - began) / threads / depth;
    MOCK_CHECK(mock_allocs == threads * depth && mock_frees == mock_allocs && mock_in == mock_allocs && atomic_load(&table->count) == 0);
    printf("%.0f %llu %llu\n", each, (unsigned long long)(table->acquisitions - before), (unsigned long long)(table->contended - waited));
}

static long resident(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    MOCK_CHECK(file != NULL && fscanf(file, "%*d %ld", &pages) == 1);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void flat(long rounds) {
    static char memory[1 << 16];
    long early = 0;
    for (long i = 0; i < rounds; i++) {
        size_t offset = (size_t)(i * 2654435761u) % (sizeof memory - 1024), size = 1 + (size_t)i % 1000;
        ompls_arg arg = {memory + offset, memory + offset, size, 0};
        ompls_data_end(&data, ompls_data_begin(&data, 0, &arg));
        if (i == rounds / 10) early = resident();
    }
    printf("%ld %ld\n", early, resident());
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "probes") == 0) probes();
    if (argc == 3 && strcmp(argv[1], "flat") == 0) flat(atol(argv[2]));
    if (argc == 4 && strcmp(argv[1], "nested") == 0) {
        depth = atoi(argv[3]);
        nested(atoi(argv[2]));
    }
    return 0;
}
