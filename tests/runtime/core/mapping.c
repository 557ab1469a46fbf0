/* Data environments through the calls that translated code makes: OpenMP 5.2 section 5.8, one function a rule. */
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "mock.h"

#define TO OMPLS_MAP_TO
#define FROM OMPLS_MAP_FROM
#define TOFROM (TO | FROM)

static int device_value(const int *host) {
    int value;
    const void *there = ompls_device_address(0, host);
    MOCK_CHECK(there != host);
    memcpy(&value, there, sizeof value);
    return value;
}

static void set_device_value(const int *host, int value) {
    memcpy(ompls_device_address(0, host), &value, sizeof value);
}

#define CONSTRUCT(name, flags_of_item)                                                      \
    static const ompls_item_desc name##_items[] = {{#name, flags_of_item}};                \
    static ompls_region name = {"t.c", __LINE__, 0, OMPLS_MODE_SPMD, 1, 0, 0, name##_items, 0, 0, 0, 0}

CONSTRUCT(map_to, TO);
CONSTRUCT(map_from, FROM);
CONSTRUCT(map_tofrom, TOFROM);
CONSTRUCT(map_alloc, 0);
CONSTRUCT(map_always_to, TO | OMPLS_MAP_ALWAYS);
CONSTRUCT(map_always_from, FROM | OMPLS_MAP_ALWAYS);
CONSTRUCT(map_release, OMPLS_MAP_RELEASE);
CONSTRUCT(map_delete, OMPLS_MAP_DELETE);
CONSTRUCT(map_hold, TOFROM | OMPLS_MAP_HOLD);
CONSTRUCT(map_implicit, TOFROM | OMPLS_MAP_IMPLICIT);
static const ompls_item_desc map_zero_items[] = {{"map_zero", OMPLS_MAP_ZERO_LENGTH | OMPLS_MAP_IMPLICIT}};
CONSTRUCT(map_attach, TOFROM | OMPLS_MAP_ATTACH);
CONSTRUCT(update_to, TO);
CONSTRUCT(update_from, FROM);

static ompls_arg section(const void *base, const void *begin, uint64_t size) {
    return (ompls_arg){base, begin, size, NULL};
}

static void counted_once_in_once_out(void) {
    int x[4] = {1, 2, 3, 4};
    ompls_arg arg = section(x, x, sizeof x);
    mock_reset();
    struct ompls_env *outer = ompls_data_begin(&map_tofrom, 0, &arg), *inner = ompls_data_begin(&map_tofrom, 0, &arg);
    MOCK_CHECK(mock_allocs == 1 && mock_in == 1);
    set_device_value(&x[2], 30);
    ompls_data_end(&map_tofrom, inner);
    MOCK_CHECK(mock_out == 0 && x[2] == 3);
    ompls_data_end(&map_tofrom, outer);
    MOCK_CHECK(mock_out == 1 && mock_frees == 1 && x[2] == 30 && !omp_target_is_present(x, 0));
}

/* As libgomp's refcount-1: however often a construct names some storage, it is counted once. */
static void named_twice_counted_once(void) {
    static const ompls_item_desc two[] = {{"p[:1]", 0}, {"q[:1]", 0}}, out[] = {{"p[:1]", FROM}, {"q[:1]", FROM}};
    static ompls_region enter = {"t.c", 1, 0, OMPLS_MODE_SPMD, 2, 0, 0, two, 0, 0, 0, 0}, leave = {"t.c", 2, 0, OMPLS_MODE_SPMD, 2, 0, 0, out, 0, 0, 0, 0};
    int x[4] = {1, 2, 3, 4};
    ompls_arg whole = section(x, x, sizeof x), parts[] = {section(x, x + 1, sizeof *x), section(x, x + 3, sizeof *x)};
    ompls_enter_data(&map_to, 0, &whole);
    ompls_enter_data(&enter, 0, parts);
    ompls_exit_data(&map_release, 0, &whole);
    MOCK_CHECK(omp_target_is_present(x, 0));
    for (int i = 0; i < 4; i++) x[i] = 0;
    ompls_exit_data(&leave, 0, parts);
    MOCK_CHECK(!omp_target_is_present(x, 0) && x[0] == 0 && x[1] == 2 && x[2] == 0 && x[3] == 4);
    struct ompls_env *env = ompls_data_begin(&enter, 0, (ompls_arg[]){whole, parts[1]});
    ompls_exit_data(&map_release, 0, &whole);
    MOCK_CHECK(!omp_target_is_present(x, 0));
    ompls_data_end(&enter, env);
}

static void types_copy_as_they_say(void) {
    int x = 5;
    ompls_arg arg = section(&x, &x, sizeof x);
    mock_reset();
    ompls_data_end(&map_to, ompls_data_begin(&map_to, 0, &arg));
    MOCK_CHECK(mock_in == 1 && mock_out == 0);
    ompls_data_end(&map_from, ompls_data_begin(&map_from, 0, &arg));
    MOCK_CHECK(mock_in == 1 && mock_out == 1);
    ompls_data_end(&map_alloc, ompls_data_begin(&map_alloc, 0, &arg));
    MOCK_CHECK(mock_in == 1 && mock_out == 1 && mock_allocs == 3 && mock_frees == 3);
}

static void always_copies_what_is_present(void) {
    int x = 5;
    ompls_arg arg = section(&x, &x, sizeof x);
    ompls_enter_data(&map_alloc, 0, &arg);
    x = 6;
    ompls_enter_data(&map_to, 0, &arg);
    set_device_value(&x, 1);
    ompls_enter_data(&map_always_to, 0, &arg);
    MOCK_CHECK(device_value(&x) == 6);
    set_device_value(&x, 7);
    ompls_exit_data(&map_from, 0, &arg);
    MOCK_CHECK(x == 6);
    ompls_exit_data(&map_always_from, 0, &arg);
    MOCK_CHECK(x == 7 && omp_target_is_present(&x, 0));
    ompls_exit_data(&map_release, 0, &arg);
    MOCK_CHECK(!omp_target_is_present(&x, 0));
    ompls_exit_data(&map_release, 0, &arg); /* absent: nothing happens */
    mock_reset();
    ompls_enter_data(&map_always_to, 0, &arg);
    ompls_exit_data(&map_always_from, 0, &arg);
    MOCK_CHECK(mock_in == 1 && mock_out == 1 && mock_frees == 1); /* once, though both new and always */
}

static void delete_takes_all_counts_but_holds(void) {
    int x = 5;
    ompls_arg arg = section(&x, &x, sizeof x);
    for (int i = 0; i < 3; i++) ompls_enter_data(&map_to, 0, &arg);
    struct ompls_env *held = ompls_data_begin(&map_hold, 0, &arg);
    ompls_exit_data(&map_delete, 0, &arg);
    MOCK_CHECK(omp_target_is_present(&x, 0));
    set_device_value(&x, 8);
    ompls_data_end(&map_hold, held);
    MOCK_CHECK(!omp_target_is_present(&x, 0) && x == 8);
    for (int i = 0; i < 3; i++) ompls_enter_data(&map_to, 0, &arg);
    ompls_exit_data(&map_delete, 0, &arg);
    MOCK_CHECK(!omp_target_is_present(&x, 0) && x == 8);
}

static void deleted_inside_an_environment(void) {
    int x = 5;
    ompls_arg arg = section(&x, &x, sizeof x);
    struct ompls_env *env = ompls_data_begin(&map_tofrom, 0, &arg);
    set_device_value(&x, 9);
    ompls_exit_data(&map_delete, 0, &arg);
    ompls_enter_data(&map_to, 0, &arg); /* the entry is used again, for another mapping */
    ompls_enter_data(&map_to, 0, &arg);
    ompls_data_end(&map_tofrom, env);
    MOCK_CHECK(x == 5 && omp_target_is_present(&x, 0));
    ompls_exit_data(&map_release, 0, &arg);
    MOCK_CHECK(omp_target_is_present(&x, 0));
    ompls_exit_data(&map_delete, 0, &arg);
}

static void sections_inside_are_present(void) {
    int x[100];
    for (int i = 0; i < 100; i++) x[i] = i;
    ompls_arg whole = section(x, x + 10, 80 * sizeof *x), part = section(x, x + 20, 10 * sizeof *x);
    ompls_enter_data(&map_to, 0, &whole);
    mock_reset();
    ompls_enter_data(&map_to, 0, &part);
    MOCK_CHECK(mock_allocs == 0 && device_value(&x[25]) == 25);
    for (int i = 0; i < 100; i++) x[i] = -i;
    ompls_update(&update_to, 0, &part);
    MOCK_CHECK(device_value(&x[20]) == -20 && device_value(&x[30]) == 30 && device_value(&x[19]) == 19);
    set_device_value(&x[29], 1000);
    ompls_update(&update_from, 0, &part);
    MOCK_CHECK(x[29] == 1000 && x[30] == -30);
    /* An implicit map of the whole array means the part that is present. */
    ompls_arg implicit = section(x, x, sizeof x);
    ompls_data_end(&map_implicit, ompls_data_begin(&map_implicit, 0, &implicit));
    MOCK_CHECK(mock_allocs == 0);
    /* Also when that part leaves with the implicit map: what was never mapped stays as it is. */
    struct ompls_env *env = ompls_data_begin(&map_implicit, 0, &implicit);
    ompls_exit_data(&map_release, 0, &part);
    ompls_exit_data(&map_release, 0, &whole);
    for (int i = 0; i < 100; i++) x[i] = 7;
    set_device_value(&x[10], 70), set_device_value(&x[89], 71);
    ompls_data_end(&map_implicit, env);
    MOCK_CHECK(x[9] == 7 && x[10] == 70 && x[89] == 71 && x[90] == 7 && mock_frees == 1);
    mock_reset();
    ompls_enter_data(&map_to, 0, &whole);
    ompls_enter_data(&map_to, 0, &part);
    ompls_exit_data(&map_release, 0, &part);
    ompls_exit_data(&map_release, 0, &whole);
    MOCK_CHECK(mock_frees == 1);
}

static void neighbours_are_separate(void) {
    int x[64];
    for (int i = 0; i < 64; i++) x[i] = i;
    for (int step = 0; step < 64; step++) {
        int i = (step * 37) % 64; /* any order */
        ompls_arg arg = section(&x[i], &x[i], sizeof x[i]);
        ompls_enter_data(&map_to, 0, &arg);
    }
    for (int i = 0; i < 64; i++) MOCK_CHECK(device_value(&x[i]) == i);
    for (int step = 0; step < 64; step++) {
        int i = (step * 23) % 64;
        ompls_arg arg = section(&x[i], &x[i], sizeof x[i]);
        ompls_exit_data(&map_release, 0, &arg);
        MOCK_CHECK(!omp_target_is_present(&x[i], 0) && omp_target_is_present(&x[(i + 23) % 64], 0) == (step != 63));
    }
}

static const void *seen;
static void look(void **params, const ompls_launch_request *request) {
    (void)request;
    seen = *(const void **)params[0];
}

static const ompls_param_desc address_param[] = {{"p", OMPLS_PARAM_ADDRESS, 0, 8}};
static void zero_length_sections(void) {
    static ompls_region region = {"t.c", 1, "look", OMPLS_MODE_SPMD, 1, 1, 0, map_zero_items, address_param, 0, 0, 0};
    int x[10] = {0};
    ompls_arg whole = section(x, x, sizeof x), zero = section(x + 3, x + 3, 0);
    MOCK_CHECK(ompls_target(&region, 0, &zero, NULL, NULL) == 1 && seen == x + 3);
    ompls_enter_data(&map_to, 0, &whole);
    MOCK_CHECK(ompls_target(&region, 0, &zero, NULL, NULL) == 1 && seen == ompls_device_address(0, x + 3) && seen != x + 3);
    ompls_exit_data(&map_release, 0, &whole);
    MOCK_CHECK(ompls_target(&region, 0, &zero, NULL, NULL) == 1 && seen == x + 3);
}

static void bases_lie_before_sections(void) {
    static ompls_region region = {"t.c", 1, "look", OMPLS_MODE_SPMD, 1, 1, 0, map_to_items, address_param, 0, 0, 0};
    int x[10] = {0};
    ompls_arg part = section(x, x + 4, 4 * sizeof *x);
    ompls_enter_data(&map_to, 0, &part);
    MOCK_CHECK(ompls_target(&region, 0, &part, NULL, NULL) == 1);
    MOCK_CHECK((const int *)seen + 4 == (int *)ompls_device_address(0, x + 4));
    ompls_exit_data(&map_release, 0, &part);
}

/* OpenMP 5.2 section 5.8.6: a pointer into the extended address range of what is mapped. */
static void pointers_to_before_sections(void) {
    static ompls_region region = {"t.c", 1, "look", OMPLS_MODE_SPMD, 1, 1, 0, map_zero_items, address_param, 0, 0, 0};
    int x[20] = {0};
    ompls_arg part = section(x, x + 4, 4 * sizeof *x), behind = section(x + 15, x + 10, 2 * sizeof *x), own = section(x + 17, x + 17, sizeof *x);
    ompls_arg pointer = section(x, x, 0), between = section(x + 2, x + 2, 0), after = section(x + 15, x + 15, 0), near = section(x + 16, x + 16, 0);
    ompls_enter_data(&map_to, 0, &part);
    ompls_enter_data(&map_to, 0, &behind);
    ompls_enter_data(&map_to, 0, &own);
    const char *there = ompls_device_address(0, x + 4), *further = ompls_device_address(0, x + 10);
    for (int i = 0; i < 2; i++) {
        MOCK_CHECK(ompls_target(&region, 0, &pointer, NULL, NULL) == 1 && seen == there - 4 * sizeof *x);
        MOCK_CHECK(ompls_target(&region, 0, &between, NULL, NULL) == 1 && seen == there - 2 * sizeof *x);
        MOCK_CHECK(ompls_target(&region, 0, &after, NULL, NULL) == 1 && seen == further + 5 * sizeof *x);
        MOCK_CHECK(ompls_target(&region, 0, &near, NULL, NULL) == 1 && seen == x + 16);
    }
    ompls_exit_data(&map_release, 0, &part);
    MOCK_CHECK(!omp_target_is_present(x + 4, 0));
    MOCK_CHECK(ompls_target(&region, 0, &pointer, NULL, NULL) == 1 && seen == x);
    ompls_exit_data(&map_release, 0, &behind);
    ompls_exit_data(&map_release, 0, &own);
    MOCK_CHECK(ompls_target(&region, 0, &after, NULL, NULL) == 1 && seen == x + 15);
}

struct node {
    int before;
    int *data;
    int after;
};

static void attached_pointers_survive_copies(void) {
    int data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct node node = {10, data, 20};
    static const ompls_item_desc items[] = {{"node", TOFROM}, {"node.data[0:8]", TOFROM | OMPLS_MAP_ATTACH}};
    static ompls_region region = {"t.c", 1, 0, OMPLS_MODE_SPMD, 2, 0, 0, items, 0, 0, 0, 0};
    ompls_arg args[] = {section(&node, &node, sizeof node), {data, data, sizeof data, &node.data}};
    struct ompls_env *env = ompls_data_begin(&region, 0, args);
    struct node *there = ompls_device_address(0, &node);
    MOCK_CHECK(there->data == ompls_device_address(0, data) && there->data[7] == 8);
    there->before = 11, there->after = 21, there->data[0] = 100;
    ompls_update(&update_from, 0, &args[0]);
    MOCK_CHECK(node.before == 11 && node.after == 21 && node.data == data);
    node.before = 12;
    ompls_update(&update_to, 0, &args[0]);
    MOCK_CHECK(there->before == 12 && there->data == ompls_device_address(0, data));
    ompls_data_end(&region, env);
    MOCK_CHECK(node.data == data && data[0] == 100 && node.before == 12);
    MOCK_CHECK(!omp_target_is_present(&node, 0) && !omp_target_is_present(data, 0));
}

static void a_pointee_that_moves_is_attached_again(void) {
    int first[4] = {1}, second[64] = {2};
    int *pointer = first;
    ompls_arg holder = section(&pointer, &pointer, sizeof pointer), one = {first, first, sizeof first, &pointer};
    ompls_arg other = {second, second, sizeof second, &pointer};
    ompls_enter_data(&map_to, 0, &holder);
    ompls_enter_data(&map_attach, 0, &one);
    int **there = ompls_device_address(0, &pointer);
    MOCK_CHECK(*there == ompls_device_address(0, first));
    pointer = second;
    ompls_enter_data(&map_attach, 0, &other);
    MOCK_CHECK(*there == ompls_device_address(0, second));
    ompls_exit_data(&map_release, 0, &one);
    ompls_exit_data(&map_release, 0, &other);
    ompls_exit_data(&map_release, 0, &holder);
}

static void devices_have_tables_of_their_own(void) {
    int x = 3;
    ompls_arg arg = section(&x, &x, sizeof x);
    ompls_enter_data(&map_to, 0, &arg);
    MOCK_CHECK(omp_target_is_present(&x, 0) && !omp_target_is_present(&x, 1));
    ompls_enter_data(&map_to, 1, &arg);
    MOCK_CHECK(ompls_device_address(0, &x) != ompls_device_address(1, &x));
    ompls_exit_data(&map_release, 0, &arg);
    MOCK_CHECK(!omp_target_is_present(&x, 0) && omp_target_is_present(&x, 1));
    ompls_exit_data(&map_release, 1, &arg);
}

static int table[3] = {7, 8, 9}, zero[40000], linked = 4;
static const ompls_global globals[] = {{"table", "__ompls_g_table", table, sizeof table, 0},
                                       {"zero", "__ompls_g_zero", zero, sizeof zero, 0},
                                       {"linked", "__ompls_g_linked", &linked, sizeof linked, 1}};
static const ompls_unit unit = {OMPLS_ABI, "t.c", globals, 3, 0, NULL, 0};
__attribute__((constructor)) static void announce(void) {
    ompls_register_unit(&unit);
}

static void globals_start_with_their_initialisers(void) {
    /* main changed the host's copy before the device was opened. */
    MOCK_CHECK(device_value(&table[0]) == 7 && device_value(&table[2]) == 9 && table[0] == 700);
    for (int i = 0; i < 40000; i++) MOCK_CHECK(device_value(&zero[i]) == 0);
    MOCK_CHECK(mock_symbol(0, "__ompls_g_table") == ompls_device_address(0, table));
    ompls_arg arg = section(table, table, sizeof table);
    ompls_update(&update_to, 0, &arg);
    MOCK_CHECK(device_value(&table[0]) == 700);
    ompls_exit_data(&map_release, 0, &arg); /* there for ever */
    ompls_exit_data(&map_delete, 0, &arg);
    MOCK_CHECK(omp_target_is_present(table, 0));
    MOCK_CHECK(!omp_target_is_present(&linked, 0) && mock_symbol(0, "__ompls_g_linked") == NULL);
    ompls_arg link = section(&linked, &linked, sizeof linked);
    ompls_enter_data(&map_to, 0, &link);
    MOCK_CHECK(mock_symbol(0, "__ompls_g_linked") == ompls_device_address(0, &linked));
    ompls_exit_data(&map_release, 0, &link);
}

const char *ompls_known_source(const char *file);
static void units_are_known_by_the_ends_of_their_paths(void) {
    static const ompls_unit units[] = {{OMPLS_ABI, "a/util.c", NULL, 0, 0, NULL, 0},
                                       {OMPLS_ABI, "b/util.c", NULL, 0, 0, NULL, 0},
                                       {OMPLS_ABI, "util.c", NULL, 0, 0, NULL, 0},
                                       {OMPLS_ABI, "/there/c/main.c", NULL, 0, 0, NULL, 0}};
    static const char *const paths[][2] = {{"/x/b/util.c", "b/util.c"}, {"/x/a/util.c", "a/util.c"}, {"./b/util.c", "b/util.c"},
                                           {"/x/util.c", "util.c"},     {"util.c", "util.c"},        {"main.c", "/there/c/main.c"},
                                           {"/x/butil.c", "/x/butil.c"}, {"b/other.c", "b/other.c"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) ompls_register_unit(&units[i]);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) MOCK_CHECK(strcmp(ompls_known_source(paths[i][0]), paths[i][1]) == 0);
}

static void many_items_in_one_construct(void) {
    enum { MANY = 40 };
    static ompls_item_desc items[MANY];
    static ompls_param_desc params[MANY];
    static int x[MANY][3];
    ompls_arg args[MANY];
    for (int i = 0; i < MANY; i++) {
        items[i] = (ompls_item_desc){"x", TOFROM};
        params[i] = (ompls_param_desc){"x", OMPLS_PARAM_ADDRESS, (uint32_t)(MANY - 1 - i), 8};
        args[i] = section(x[i], x[i], 4);
    }
    static ompls_region region = {"t.c", 1, "look", OMPLS_MODE_SPMD, MANY, MANY, 0, items, params, 0, 0, 0};
    mock_reset();
    ompls_enter_data(&region, 0, args);
    MOCK_CHECK(ompls_target(&region, 0, args, NULL, NULL) == 1 && seen == ompls_device_address(0, x[MANY - 1]));
    ompls_exit_data(&region, 0, args);
    MOCK_CHECK(mock_allocs == MANY && mock_frees == MANY && mock_in == MANY && mock_out == MANY);
}

static void geometry(void) {
    static ompls_region spmd = {"t.c", 1, "look", OMPLS_MODE_SPMD, 1, 1, 0, map_zero_items, address_param, 0, 0, 0};
    static ompls_region master = {"t.c", 1, "look", OMPLS_MODE_MASTER_WORKER, 1, 1, 0, map_zero_items, address_param, 0, 0, 0};
    static const struct {
        ompls_region *region;
        ompls_launch asked;
        uint32_t grid[3], block[3];
    } cases[] = {
        /*       trip_count, num_teams, thread_limit, num_threads, dimensions, trips      grid  block */
        {&spmd, {0, 0, 0, 0, 1, {0}}, {1, 1, 1}, {128, 1, 1}},
        {&spmd, {1, 0, 0, 0, 1, {0}}, {1, 1, 1}, {128, 1, 1}},
        {&spmd, {1000, 0, 0, 0, 1, {0}}, {8, 1, 1}, {128, 1, 1}},
        {&spmd, {1024, 0, 0, 0, 1, {0}}, {8, 1, 1}, {128, 1, 1}},
        {&spmd, {1025, 0, 0, 0, 1, {0}}, {9, 1, 1}, {128, 1, 1}},
        {&spmd, {1000, 4, 0, 0, 1, {0}}, {4, 1, 1}, {128, 1, 1}},
        {&spmd, {1000, 4, 32, 0, 1, {0}}, {4, 1, 1}, {32, 1, 1}},
        {&spmd, {1000, 0, 32, 0, 1, {0}}, {32, 1, 1}, {32, 1, 1}},
        {&spmd, {1000, 0, 0, 256, 1, {0}}, {4, 1, 1}, {256, 1, 1}},
        {&spmd, {1000, 0, 64, 256, 1, {0}}, {16, 1, 1}, {64, 1, 1}},
        {&spmd, {1000, 0, 512, 0, 1, {0}}, {8, 1, 1}, {128, 1, 1}},
        {&spmd, {1000, 0, 0, 5000, 1, {0}}, {1, 1, 1}, {1024, 1, 1}},
        {&spmd, {1ull << 40, 0, 0, 0, 1, {0}}, {65535, 1, 1}, {128, 1, 1}},
        {&spmd, {1000, 0, 0, 0, 1, {8}}, {1000, 1, 1}, {32, 1, 1}},
        {&spmd, {1000, 0, 0, 0, 1, {100}}, {1000, 1, 1}, {128, 1, 1}},
        {&spmd, {1000, 0, 0, 0, 1, {5000}}, {1000, 1, 1}, {128, 1, 1}},
        {&spmd, {1000, 0, 64, 0, 1, {UINT64_MAX}}, {1000, 1, 1}, {64, 1, 1}},
        {&spmd, {1000, 6, 0, 0, 1, {33}}, {6, 1, 1}, {64, 1, 1}},
        {&spmd, {1ull << 40, 0, 0, 0, 1, {1}}, {65535, 1, 1}, {32, 1, 1}},
        {&spmd, {1 << 20, 0, 0, 0, 2, {1024, 1024, 0}}, {32, 128, 1}, {32, 8, 1}},
        {&spmd, {324, 0, 0, 0, 2, {18, 18, 0}}, {1, 3, 1}, {32, 8, 1}},
        {&spmd, {2116, 0, 0, 0, 2, {46, 46, 0}}, {2, 6, 1}, {32, 8, 1}},
        {&spmd, {320, 0, 0, 0, 2, {16, 20, 0}}, {1, 2, 1}, {16, 16, 1}},
        {&spmd, {160, 0, 0, 0, 2, {5, 32, 0}}, {1, 1, 1}, {8, 32, 1}},
        {&spmd, {1 << 20, 0, 0, 0, 3, {64, 128, 128}}, {2, 32, 64}, {32, 4, 2}},
        {&spmd, {1 << 20, 12, 0, 0, 2, {1024, 1024, 0}}, {1, 12, 1}, {32, 8, 1}},
        {&spmd, {1 << 20, 0, 0, 100, 2, {1024, 1024, 0}}, {11, 1024, 1}, {100, 1, 1}},
        {&master, {1000, 0, 0, 0, 1, {0}}, {1, 1, 1}, {128, 1, 1}},
        {&master, {1000, 6, 0, 40, 1, {0}}, {6, 1, 1}, {128, 1, 1}},
    };
    extern ompls_launch_request mock_seen;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ompls_arg arg = section(cases, cases, 0);
        ompls_target(cases[i].region, 0, &arg, NULL, &cases[i].asked);
        const uint32_t *g = mock_seen.grid, *b = mock_seen.block;
        bool right = memcmp(g, cases[i].grid, sizeof cases[i].grid) == 0 && memcmp(b, cases[i].block, sizeof cases[i].block) == 0;
        if (!right) fprintf(stderr, "geometry %zu: %u x %u x %u, %u x %u x %u\n", i, g[0], g[1], g[2], b[0], b[1], b[2]);
        MOCK_CHECK(right);
    }
}

static void routines(void) {
    MOCK_CHECK(omp_get_num_devices() == 2 && omp_get_initial_device() == 2 && omp_is_initial_device() == 1);
    MOCK_CHECK(omp_get_default_device() == 0 && omp_get_device_num() == 2);
    int x[12], y[12] = {0};
    for (int i = 0; i < 12; i++) x[i] = i;
    int *a = omp_target_alloc(sizeof x, 0), *b = omp_target_alloc(sizeof x, 1);
    MOCK_CHECK(a != NULL && b != NULL && omp_target_alloc(0, 0) == NULL && omp_target_alloc(8, 17) == NULL);
    MOCK_CHECK(omp_target_memcpy(a, x, 8 * sizeof *x, 0, 4 * sizeof *x, 0, 2) == 0);
    MOCK_CHECK(omp_target_memcpy(b, a, 8 * sizeof *x, 0, 0, 1, 0) == 0);
    MOCK_CHECK(omp_target_memcpy(b, b, 2 * sizeof *x, 8 * sizeof *x, 0, 1, 1) == 0);
    MOCK_CHECK(omp_target_memcpy(y, b, 10 * sizeof *x, 0, 0, 2, 1) == 0);
    MOCK_CHECK(y[0] == 4 && y[7] == 11 && y[8] == 4 && y[9] == 5 && y[10] == 0);
    MOCK_CHECK(omp_target_memcpy(y, b, 1, 0, 0, 2, 99) != 0);
    /* A 2x2 rectangle at (1,1) of 3x4 to (0,2) of 3x4. */
    size_t volume[] = {2, 2}, to[] = {0, 2}, from[] = {1, 1}, dimensions[] = {3, 4};
    memset(y, 0, sizeof y);
    MOCK_CHECK(omp_target_memcpy(a, x, sizeof x, 0, 0, 0, 2) == 0);
    MOCK_CHECK(omp_target_memcpy_rect(y, a, sizeof *x, 2, volume, to, from, dimensions, dimensions, 2, 0) == 0);
    MOCK_CHECK(y[2] == 5 && y[3] == 6 && y[6] == 9 && y[7] == 10 && y[0] == 0 && y[8] == 0);
    size_t wide[] = {2, 6}; /* the same to (0,2) of 2x6 */
    memset(y, 0, sizeof y);
    MOCK_CHECK(omp_target_memcpy_rect(y, a, sizeof *x, 2, volume, to, from, wide, dimensions, 2, 0) == 0);
    MOCK_CHECK(y[2] == 5 && y[3] == 6 && y[8] == 9 && y[9] == 10 && y[6] == 0 && y[7] == 0);
    MOCK_CHECK(omp_target_memcpy_rect(NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, 0) >= 3);
    MOCK_CHECK(omp_target_associate_ptr(x, a, sizeof x, 0, 0) == 0 && ompls_device_address(0, &x[3]) == a + 3);
    MOCK_CHECK(omp_target_associate_ptr(x, a, sizeof x, 0, 0) == 0 && omp_target_associate_ptr(x, a, sizeof x, 4, 0) != 0);
    ompls_arg arg = section(x, x, sizeof x);
    mock_reset();
    ompls_data_end(&map_tofrom, ompls_data_begin(&map_tofrom, 0, &arg));
    MOCK_CHECK(mock_allocs == 0 && mock_in == 0 && mock_out == 0 && mock_frees == 0);
    MOCK_CHECK(omp_target_disassociate_ptr(x, 0) == 0 && !omp_target_is_present(x, 0) && omp_target_disassociate_ptr(x, 0) != 0);
    MOCK_CHECK(!omp_target_is_accessible(x, sizeof x, 0) && omp_target_is_accessible(x, sizeof x, 2));
    MOCK_CHECK(omp_get_mapped_ptr(x, 2) == x && omp_get_mapped_ptr(x, 0) == NULL && omp_get_mapped_ptr(x, 40) == NULL);
    ompls_enter_data(&map_to, 0, &arg);
    MOCK_CHECK(omp_get_mapped_ptr(&x[4], 0) == ompls_device_address(0, &x[4]) && omp_get_mapped_ptr(x, 1) == NULL);
    ompls_exit_data(&map_release, 0, &arg);
    MOCK_CHECK(omp_target_memset(a, 1, sizeof x, 0) == a && omp_target_memcpy_async(y, a, sizeof x, 0, 0, 2, 0, 0, NULL) == 0);
    ompls_taskwait();
    MOCK_CHECK(y[0] == 0x01010101 && y[11] == 0x01010101);
    int *zeros = omp_target_calloc(3, sizeof(int), 1);
    MOCK_CHECK(zeros != NULL && omp_target_calloc(SIZE_MAX, 2, 1) == NULL);
    MOCK_CHECK(omp_target_memcpy_rect_async(y, zeros, sizeof *x, 1, volume, to, to, dimensions, dimensions, 2, 1, 0, NULL) == 0);
    ompls_taskwait();
    MOCK_CHECK(y[0] == 0 && y[1] == 0 && y[2] == 0x01010101);
    omp_target_free(zeros, 1);
    omp_target_free(a, 0);
    omp_target_free(b, 1);
    omp_set_default_device(1);
    MOCK_CHECK(omp_get_default_device() == 1);
    omp_set_default_device(0);
    void *on_host = omp_target_alloc(16, omp_get_initial_device());
    memset(on_host, 1, 16);
    omp_target_free(on_host, omp_get_initial_device());
}

static void copies_wait_for_tasks(void) {
    int x = 0, y = 0, *there = omp_target_alloc(sizeof x, 0);
    omp_depend_t after;
#pragma omp depobj(after) depend(in : x)
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : x) shared(x)
        {
            usleep(20000);
            x = 77;
        }
        MOCK_CHECK(omp_target_memcpy_async(there, &x, sizeof x, 0, 0, 0, 2, 1, &after) == 0);
#pragma omp taskwait
        MOCK_CHECK(omp_target_memcpy(&y, there, sizeof y, 0, 0, 2, 0) == 0);
    }
    MOCK_CHECK(y == 77);
    omp_target_free(there, 0);
}

static void in_place(void) {
    static ompls_region region = {"t.c", 1, "look", OMPLS_MODE_SPMD, 1, 1, 0, map_zero_items, address_param, 0, 0, 0};
    ompls_arg arg = section(&arg, &arg, 0);
    long opened = mock_opens;
    MOCK_CHECK(ompls_target(&region, OMPLS_DEVICE_INITIAL, &arg, NULL, NULL) == 0);
    MOCK_CHECK(ompls_target(&region, 2, &arg, NULL, NULL) == 0); /* omp_get_initial_device() */
    MOCK_CHECK(ompls_data_begin(&region, OMPLS_DEVICE_INITIAL, &arg) == NULL);
    ompls_data_end(&region, NULL);
    MOCK_CHECK(mock_opens == opened && ompls_device_address(OMPLS_DEVICE_INITIAL, &arg) == &arg);
}

ompls_launch_request mock_seen;
static void look_and_remember(void **params, const ompls_launch_request *request) {
    look(params, request);
    mock_seen = *request;
}

int main(void) {
    mock_add_kernel("look", look_and_remember);
    table[0] = 700;
    in_place();
    MOCK_CHECK(mock_opens == 0); /* nothing was opened so far */
    globals_start_with_their_initialisers();
    counted_once_in_once_out();
    named_twice_counted_once();
    types_copy_as_they_say();
    always_copies_what_is_present();
    delete_takes_all_counts_but_holds();
    deleted_inside_an_environment();
    sections_inside_are_present();
    neighbours_are_separate();
    zero_length_sections();
    bases_lie_before_sections();
    pointers_to_before_sections();
    attached_pointers_survive_copies();
    a_pointee_that_moves_is_attached_again();
    devices_have_tables_of_their_own();
    many_items_in_one_construct();
    units_are_known_by_the_ends_of_their_paths();
    geometry();
    routines();
    copies_wait_for_tasks();
    return 0;
}
