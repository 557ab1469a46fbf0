/* What the core tells a device of parameters, and leaves to it: pointers in its memory, copies to a device beside it. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "mock.h"

enum { TOFROM = OMPLS_MAP_TO | OMPLS_MAP_FROM };

static int x[8];
static const ompls_item_desc items[] = {{"x", TOFROM}};
static const ompls_param_desc params[] = {{"x", OMPLS_PARAM_ADDRESS, 0, 8}, {"n", OMPLS_PARAM_VALUE, 0, 4},
                                          {"p", OMPLS_PARAM_POINTER, 1, sizeof(void *)}, {"length", OMPLS_PARAM_SIZE, 2, sizeof(long)}};
static ompls_region region = {"p.c", 1, "look", OMPLS_MODE_SPMD, 1, 4, 3, items, params, 0, 0, "main_0_0badcafe"};

static int launched;
static void look(void **given, const ompls_launch_request *request) {
    static const uint8_t kinds[] = {OMPLS_PASS_ADDRESS, OMPLS_PASS_VALUE, OMPLS_PASS_ADDRESS, OMPLS_PASS_SIZE};
    static const uint64_t sizes[] = {8, 4, 8, sizeof(long)};
    MOCK_CHECK(request->nparams == 4 && memcmp(request->kinds, kinds, sizeof kinds) == 0 && memcmp(request->sizes, sizes, sizeof sizes) == 0);
    MOCK_CHECK(strcmp(request->id, "main_0_0badcafe") == 0 && strcmp(request->name, "look") == 0);
    MOCK_CHECK(*(ompls_address *)given[0] == (uintptr_t)ompls_device_address(0, x));
    MOCK_CHECK(*(int *)given[1] == 42 && *(ompls_address *)given[2] == 0x12345678 && *(long *)given[3] == 99);
    launched++;
}

static void parameters_have_kinds(void) {
    ompls_arg arg = {x, x, sizeof x, 0};
    int n = 42;
    uintptr_t pointer = 0x12345678;
    long length = 99;
    const void *values[] = {&n, &pointer, &length};
    mock_add_kernel("look", look);
    MOCK_CHECK(ompls_target(&region, 0, &arg, values, NULL) == 1 && launched == 1);
    ompls_depend depend = {x, OMPLS_DEPEND_OUT};
    ompls_target_nowait(&region, 0, &arg, values, NULL, 1, &depend);
    n = 0, pointer = 0, length = 0; /* a deferred construct has copies of all of them */
    ompls_taskwait();
    MOCK_CHECK(launched == 2);
}

/* Of each iteration, how often a thread of a launch had it: more than one is wrong, and so is none. */
enum { MOST = 70000 };
static unsigned char had[MOST];
static uint64_t reached, last;
static const ompls_param_desc parts[] = {{"part_x", OMPLS_PARAM_PART, 0, 8}, {"part_y", OMPLS_PARAM_PART, 1, 8}};
static const ompls_param_desc wide_part[] = {{"part_x", OMPLS_PARAM_PART, 0, 16}};
static void cover(void **given, const ompls_launch_request *request) {
    uint64_t first[2] = {0, 0}, count[2] = {1, 1};
    for (uint32_t d = 0; d < request->nparams; d++) {
        const uint32_t *part = given[d];
        const uint64_t *wide = given[d];
        bool narrow = request->sizes[d] == 8;
        first[d] = narrow ? part[0] : wide[0], count[d] = narrow ? part[1] : wide[1];
        MOCK_CHECK(request->kinds[d] == OMPLS_PASS_PART && (narrow || request->sizes[d] == 16));
        MOCK_CHECK(count[d] <= (uint64_t)request->grid[d] * request->block[d]);
        MOCK_CHECK((uint64_t)request->grid[d] * request->block[d] <= UINT32_MAX);
    }
    reached += count[0] * count[1];
    last = first[0] + count[0];
    for (uint64_t j = 0; j < count[1]; j++)
        for (uint64_t i = 0; i < count[0] && i < MOST; i++)
            if (first[0] + i < 300) had[(first[1] + j) % 200 * 300 + first[0] + i]++;
}

static void every_iteration_has_a_thread(void) {
    static ompls_region row = {"p.c", 8, "cover", OMPLS_MODE_SPMD, 0, 1, 0, 0, parts, 0, 0, "main_1_0"};
    static ompls_region grid = {"p.c", 9, "cover", OMPLS_MODE_SPMD, 0, 2, 0, 0, parts, 0, 0, "main_2_0"};
    static const struct {
        ompls_launch asked;
        int launches;
    } cases[] = {
        /* trip_count, num_teams, thread_limit, num_threads, dimensions, trips */
        {{0, 0, 0, 0, 1, {0}}, 0},
        {{1, 0, 0, 0, 1, {0}}, 1},
        {{300, 0, 0, 0, 1, {0}}, 1},
        {{300, 2, 32, 0, 1, {0}}, 5},
        {{300, 1, 7, 0, 1, {0}}, 43},
        {{UINT32_MAX, 0, 0, 1024, 1, {0}}, 65},
        {{0, 0, 0, 0, 2, {300, 200, 0}}, 1},
        {{0, 7, 0, 0, 2, {300, 200, 0}}, 40},
        {{0, 3, 0, 5, 2, {300, 200, 0}}, 4020},
        {{0, 0, 0, 0, 2, {300, 0, 0}}, 0},
        {{0, 0, 0, 0, 2, {2, 10000000, 0}}, 2},
    };
    mock_add_kernel("cover", cover);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ompls_launch *asked = &cases[i].asked;
        bool wide = asked->dimensions > 1;
        uint64_t all = wide ? asked->trips[0] * asked->trips[1] : asked->trip_count;
        long before = mock_launches;
        memset(had, 0, sizeof had);
        reached = 0;
        MOCK_CHECK(ompls_target(wide ? &grid : &row, 0, NULL, NULL, asked) == 1);
        long launches = mock_launches - before;
        if (launches != cases[i].launches) fprintf(stderr, "case %zu: %ld launches\n", i, launches);
        MOCK_CHECK(reached == all && launches == cases[i].launches);
        for (uint64_t k = 0; k < all && all <= 60000; k++) MOCK_CHECK(had[k] == 1);
    }
    static ompls_region far = {"p.c", 10, "cover", OMPLS_MODE_SPMD, 0, 1, 0, 0, wide_part, 0, 0, "main_3_0"};
    const ompls_launch many = {((uint64_t)1 << 33) + 5, 0, 0, 1024, 1, {0}};
    reached = 0;
    MOCK_CHECK(ompls_target(&far, 0, NULL, NULL, &many) == 1 && reached == many.trip_count && last == reached);
}

/* What each team of a launch leaves, and whose memory it was. */
static const ompls_param_desc partials[] = {{"partials_a", OMPLS_PARAM_PARTIALS, 16, 8}, {"partials_b", OMPLS_PARAM_PARTIALS, 1024, 8}};
static ompls_region reduces = {"p.c", 11, "reduce", OMPLS_MODE_SPMD, 0, 2, 0, 0, partials, 0, 0, "main_4_0"};
static ompls_region reduces_inside = {"p.c", 12, "reduce", OMPLS_MODE_SPMD, 0, 2, 0, 0, partials, 0, 0, "main_5_0"};
static char *left_in[2];
static int deep;
static void reduce(void **given, const ompls_launch_request *request) {
    static const char zeros[16];
    uint64_t teams = (uint64_t)request->grid[0] * request->grid[1] * request->grid[2];
    char *memory[2];
    for (int i = 0; i < 2; i++) {
        memory[i] = (char *)(uintptr_t)*(ompls_address *)given[i];
        MOCK_CHECK(request->kinds[i] == OMPLS_PASS_ADDRESS && request->sizes[i] == 8 && memcmp(memory[i], zeros, sizeof zeros) == 0);
        memset(memory[i], 7, sizeof zeros + teams * partials[i].index); /* there is as much */
    }
    const ompls_launch few = {0, 3, 0, 0, 1, {0}};
    if (deep-- > 0) MOCK_CHECK(ompls_target(&reduces_inside, 0, NULL, NULL, &few) == 1); /* as another thread would: it gets others */
    for (int i = 0; i < 2; i++) memset(left_in[i] = memory[i], 0, sizeof zeros);
}

static void a_launch_has_memory_for_its_teams(void) {
    const ompls_launch asked[] = {{0, 3, 0, 0, 1, {0}}, {0, 2, 0, 0, 1, {0}}, {0, 700, 0, 0, 1, {0}}};
    mock_add_kernel("reduce", reduce);
    mock_reset();
    MOCK_CHECK(ompls_target(&reduces, 0, NULL, NULL, &asked[0]) == 1 && mock_allocs == 2);
    char *first[2] = {left_in[0], left_in[1]};
    MOCK_CHECK(ompls_target(&reduces, 0, NULL, NULL, &asked[1]) == 1 && mock_allocs == 2); /* the same again */
    MOCK_CHECK((left_in[0] == first[0] || left_in[0] == first[1]) && (left_in[1] == first[0] || left_in[1] == first[1]));
    MOCK_CHECK(ompls_target(&reduces, 0, NULL, NULL, &asked[2]) == 1 && mock_allocs == 4); /* more teams */
    deep = 1; /* two launches at once */
    MOCK_CHECK(ompls_target(&reduces, 0, NULL, NULL, &asked[0]) == 1 && deep < 0 && mock_allocs <= 6);
    MOCK_CHECK(mock_frees == 0 && mock_in == mock_allocs);
}

static void pointers_are_the_devices(void) {
    struct {
        int before;
        int *data;
    } node = {1, x};
    static const ompls_item_desc both[] = {{"node", TOFROM}, {"node.data[0:8]", TOFROM | OMPLS_MAP_ATTACH}};
    static ompls_region data = {"p.c", 2, 0, OMPLS_MODE_SPMD, 2, 0, 0, both, 0, 0, 0, 0};
    static ompls_region update = {"p.c", 3, 0, OMPLS_MODE_SPMD, 1, 0, 0, items, 0, 0, 0, 0};
    ompls_arg args[] = {{&node, &node, sizeof node, 0}, {x, x, sizeof x, &node.data}};
    mock_reset();
    struct ompls_env *env = ompls_data_begin(&data, 0, args);
    MOCK_CHECK(mock_attached == 1);
    ompls_update(&update, 0, &args[0]); /* the host's pointer travels, so the device's is attached again */
    MOCK_CHECK(mock_attached == 2);
    ompls_data_end(&data, env);
    MOCK_CHECK(mock_attached == 2 && node.data == x);
}

static void devices_copy_to_each_other(void) {
    int value[4] = {1, 2, 3, 4}, back[4] = {0}, host = omp_get_initial_device();
    int *here = omp_target_alloc(sizeof value, 0), *there = omp_target_alloc(sizeof value, 1);
    MOCK_CHECK(omp_target_memcpy(here, value, sizeof value, 0, 0, 0, host) == 0);
    mock_reset();
    MOCK_CHECK(omp_target_memcpy(there, here, sizeof value, 0, 0, 1, 0) == 0);
    MOCK_CHECK(mock_peers == 1 && mock_in == 0 && mock_out == 0);
    size_t volume[] = {2, 1}, at[] = {0, 1}, from[] = {0, 0}, whole[] = {2, 2};
    MOCK_CHECK(omp_target_memcpy_rect(there, here, sizeof *here, 2, volume, at, from, whole, whole, 1, 0) == 0 && mock_peers == 3);
    MOCK_CHECK(omp_target_memcpy(there, here, sizeof value, 0, 0, 0, 0) == 0 && mock_peers == 3); /* one device */
    MOCK_CHECK(omp_target_memcpy_rect(there, here, sizeof *here, 2, volume, at, from, whole, whole, 1, 0) == 0);
    MOCK_CHECK(omp_target_memcpy(back, there, sizeof back, 0, 0, host, 1) == 0);
    MOCK_CHECK(back[0] == 1 && back[1] == 1 && back[2] == 3 && back[3] == 3);
    omp_target_free(here, 0);
    omp_target_free(there, 1);
}

int main(void) {
    parameters_have_kinds();
    every_iteration_has_a_thread();
    a_launch_has_memory_for_its_teams();
    pointers_are_the_devices();
    devices_copy_to_each_other();
    return 0;
}
