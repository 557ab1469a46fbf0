/* Regions that the host runs while their data are on the device: each case once without a kernel, once on a lost device. */
#include <omp.h>
#include <string.h>

#include "mock.h"

#define TO OMPLS_MAP_TO
#define FROM OMPLS_MAP_FROM
#define TOFROM (TO | FROM)

static bool lost; /* else: there is no kernel */

#define CONSTRUCT(name, kernel, ...)                                \
    static const ompls_item_desc name##_items[] = {__VA_ARGS__};   \
    static ompls_region name = {"f.c", __LINE__, kernel, OMPLS_MODE_SPMD, sizeof name##_items / sizeof *name##_items, 0, 0, name##_items, 0, 0, 0, 0}

CONSTRUCT(data_to, NULL, {"x", TO});
CONSTRUCT(data_alloc, NULL, {"x", 0});
CONSTRUCT(data_tofrom, NULL, {"x", TOFROM});
CONSTRUCT(region_tofrom, "k", {"x", TOFROM});
CONSTRUCT(region_always, "k", {"x", TOFROM | OMPLS_MAP_ALWAYS});
CONSTRUCT(region_from, "k", {"x", FROM});
CONSTRUCT(region_twice, "k", {"x", TO}, {"x", FROM});
CONSTRUCT(region_alone, "k", {"y", TO});
CONSTRUCT(data_attach, NULL, {"s", TOFROM}, {"s.p[:2]", TOFROM | OMPLS_MAP_ATTACH});
CONSTRUCT(region_structure, "k", {"s", TOFROM});

static void kernel(void **params, const ompls_launch_request *request) {
    (void)params, (void)request;
    abort();
}

static ompls_arg all_of(const void *object, uint64_t size) {
    return (ompls_arg){object, object, size, NULL};
}

static int there(const int *host) {
    int value;
    memcpy(&value, ompls_device_address(0, host), sizeof value);
    return value;
}

static void set_there(const int *host, int value) {
    memcpy(ompls_device_address(0, host), &value, sizeof value);
}

#define ON_HOST(region, ...)                                                             \
    for (int done = ompls_target(&region, 0, (ompls_arg[]){__VA_ARGS__}, NULL, NULL); !done; \
         done = ompls_target_done(&region))

/* The device's value and the host's are two. */
static void the_region_works_on_the_devices_values(void) {
    int x = 1;
    ompls_arg arg = all_of(&x, sizeof x);
    struct ompls_env *env = ompls_data_begin(&data_to, 0, &arg);
    set_there(&x, 11);
    ON_HOST(region_tofrom, arg) {
        MOCK_CHECK(x == 11);
        x *= 2;
    }
    MOCK_CHECK(x == 1 && there(&x) == 22);
    x = 5;
    ON_HOST(region_always, arg) {
        MOCK_CHECK(x == 5);
        x++;
    }
    MOCK_CHECK(x == 6 && there(&x) == 6);
    ompls_data_end(&data_to, env);
    MOCK_CHECK(x == 6 && mock_launches == (lost ? 1 : 0));
}

static void what_only_the_region_maps_comes_back(void) {
    int y = 0, x[2] = {1, 2};
    ompls_arg arg = all_of(&y, sizeof y);
    ompls_enter_data(&data_to, 0, &arg); /* something is present */
    ON_HOST(region_tofrom, all_of(x, sizeof x)) x[1] = 7;
    MOCK_CHECK(x[1] == 7 && !omp_target_is_present(x, 0));
    ON_HOST(region_from, all_of(x, sizeof x)) x[0] = 3, x[1] = 4;
    MOCK_CHECK(x[0] == 3 && x[1] == 4);
    ON_HOST(region_twice, all_of(x, sizeof *x), all_of(x, sizeof *x)) x[0]++;
    MOCK_CHECK(x[0] == 4);
    ompls_exit_data(&data_to, 0, &arg);
}

/* Others may write to the rest at the same time. */
static void only_what_changed_is_sent(void) {
    int x[4] = {0};
    ompls_arg arg = all_of(x, sizeof x);
    struct ompls_env *env = ompls_data_begin(&data_alloc, 0, &arg);
    for (int i = 0; i < 4; i++) set_there(&x[i], 10 + i);
    ON_HOST(region_tofrom, arg) {
        x[2] = 20;
        set_there(&x[1], 30); /* another region's kernel */
    }
    MOCK_CHECK(there(&x[0]) == 10 && there(&x[1]) == 30 && there(&x[2]) == 20 && there(&x[3]) == 13 && x[2] == 0);
    ompls_data_end(&data_alloc, env);
}

static void a_constant_is_not_written_to(void) {
    static const int constant = 4;
    ompls_arg arg = all_of(&constant, sizeof constant);
    struct ompls_env *env = ompls_data_begin(&data_to, 0, &arg);
    ON_HOST(region_tofrom, arg) MOCK_CHECK(constant == 4);
    ompls_data_end(&data_to, env);
}

static void attached_pointers_lead_to_what_the_device_has(void) {
    int values[2] = {1, 2};
    struct {
        int n, *p;
    } s = {5, values};
    ompls_arg args[] = {all_of(&s, sizeof s), {values, values, sizeof values, &s.p}};
    struct ompls_env *env = ompls_data_begin(&data_attach, 0, args);
    set_there(&values[1], 40);
    ON_HOST(region_structure, args[0]) {
        MOCK_CHECK(s.p == values && values[1] == 40);
        s.p[1]++;
        s.n++;
    }
    MOCK_CHECK(values[1] == 2 && s.n == 5 && there(&values[1]) == 41);
    ompls_data_end(&data_attach, env);
    MOCK_CHECK(values[1] == 41 && s.n == 6 && s.p == values);
}

static int table[4] = {1, 2, 3, 4}, linked = 1, *lead = &table[1];
static const ompls_global globals[] = {{"table", "__ompls_g_table", table, sizeof table, 0},
                                       {"lead", "__ompls_g_other", &lead, sizeof lead, 0},
                                       {"linked", "__ompls_g_linked", &linked, sizeof linked, 1}};
static const ompls_unit unit = {OMPLS_ABI, "f.c", globals, 3, 0, NULL, 0};

static void variables_of_the_device_are_meant(void) {
    int y = 0;
    ompls_arg arg = all_of(&linked, sizeof linked);
    set_there(&table[1], 20);
    ompls_enter_data(&data_to, 0, &arg);
    set_there(&linked, 9);
    ON_HOST(region_alone, all_of(&y, sizeof y)) {
        MOCK_CHECK(lead == &table[1] && *lead == 20 && linked == 9);
        table[2] = *lead + 1;
        linked++;
    }
    MOCK_CHECK(table[1] == 2 && table[2] == 3 && linked == 1);
    MOCK_CHECK(there(&table[2]) == 21 && there(&linked) == 10);
    ompls_exit_data(&data_to, 0, &arg);
}

static void a_region_that_is_deferred_waits_and_is_run_in_place(void) {
    int x = 1;
    ompls_arg arg = all_of(&x, sizeof x);
    const ompls_depend depend = {&x, OMPLS_DEPEND_INOUT};
    struct ompls_env *env = ompls_data_begin(&data_tofrom, 0, &arg);
    set_there(&x, 6);
    for (int done = ompls_target_nowait(&region_tofrom, 0, &arg, NULL, NULL, 1, &depend); !done; done = ompls_target_done(&region_tofrom)) x++;
    MOCK_CHECK(x == 1 && there(&x) == 7);
    ompls_data_end(&data_tofrom, env);
    MOCK_CHECK(x == 7);
}

static void a_list_is_kept_until_the_end(void) {
    static const ompls_item_desc items[] = {{"p[i]", TOFROM | OMPLS_MAP_LIST}};
    static ompls_region region = {"f.c", 1, "k", OMPLS_MODE_SPMD, 1, 0, 0, items, 0, 0, 1, 0};
    int x[4] = {1, 2, 3, 4}, y = 0;
    ompls_arg present = all_of(&y, sizeof y);
    ompls_list *list = NULL;
    ompls_enter_data(&data_to, 0, &present);
    for (int i = 0; i < 4; i += 2) ompls_list_add(&list, "p[i]", TOFROM, &x[i], &x[i], sizeof *x, NULL);
    ON_HOST(region, {NULL, NULL, 0, list}) x[2] = 30;
    MOCK_CHECK(x[2] == 30 && !omp_target_is_present(&x[2], 0));
    ompls_exit_data(&data_to, 0, &present);
}

static void *work(void *unused) {
    int x[8] = {0};
    for (int i = 0; i < 100; i++) {
        struct ompls_env *env = ompls_data_begin(&data_tofrom, 0, &(ompls_arg){x, x, sizeof x, NULL});
        ON_HOST(region_tofrom, all_of(x, sizeof x)) x[i % 8]++;
        ompls_data_end(&data_tofrom, env);
        MOCK_CHECK(x[i % 8] == i / 8 + 1);
    }
    return unused;
}

static void threads_take_turns(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}

int main(int argc, char **argv) {
    lost = argc > 1 && strcmp(argv[1], "lost") == 0;
    ompls_register_unit(&unit);
    ompls_register_pointers(&(ompls_pointer){&lead, table}, 1);
    if (lost) {
        mock_add_kernel("k", kernel);
        mock_launch_error = (ompls_error){.reason = "the cable is out", .fatal = OMPLS_LOST_IDLE};
    }
    the_region_works_on_the_devices_values();
    what_only_the_region_maps_comes_back();
    only_what_changed_is_sent();
    a_constant_is_not_written_to();
    attached_pointers_lead_to_what_the_device_has();
    variables_of_the_device_are_meant();
    a_region_that_is_deferred_waits_and_is_run_in_place();
    a_list_is_kept_until_the_end();
    threads_take_turns();
    return 0;
}
