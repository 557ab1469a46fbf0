/* Host threads that map, launch and unmap the same and neighbouring data at once.  Built with the thread sanitizer too.

   What must hold: a region sees its data present and complete; when all threads are done nothing is present, and as many
   allocations were freed as made.  Before that, with slow copies: different data is copied at the same time, and who wants
   what is on its way waits for it. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "mock.h"

enum { THREADS = 6, ROUNDS = 400, SHARED = 8, LENGTH = 16 };

static int shared[SHARED][LENGTH];
static const ompls_item_desc items[] = {{"shared", OMPLS_MAP_TO}, {"own", OMPLS_MAP_TO | OMPLS_MAP_FROM}};
static const ompls_param_desc params[] = {{"shared", OMPLS_PARAM_ADDRESS, 0, 8}, {"own", OMPLS_PARAM_ADDRESS, 1, 8}};
static ompls_region region = {"stress.c", 1, "add", OMPLS_MODE_SPMD, 2, 2, 0, items, params, 0, 0, 0};
static ompls_region data = {"stress.c", 2, 0, OMPLS_MODE_SPMD, 1, 0, 0, items, 0, 0, 0, 0};

static void add(void **given, const ompls_launch_request *request) {
    (void)request;
    const int *from = *(const int **)given[0];
    int *own = *(int **)given[1];
    for (int i = 0; i < LENGTH; i++) own[i] += from[i];
}

static void *work(void *argument) {
    int self = (int)(intptr_t)argument, expected = 0;
    unsigned random = (unsigned)self * 2654435761u + 1;
    int own[LENGTH] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        random = random * 1664525u + 1013904223u;
        int which = (int)(random >> 24) % SHARED, device = (int)(random >> 20) % 2;
        ompls_arg args[] = {{shared[which], shared[which], sizeof shared[which], 0}, {own, own, sizeof own, 0}};
        struct ompls_env *env = random & 4096 ? ompls_data_begin(&data, device, args) : NULL;
        bool later = random & 8192; /* then the environment ends while the region may be under way */
        MOCK_CHECK((later ? ompls_target_nowait(&region, device, args, NULL, NULL, 0, NULL) : ompls_target(&region, device, args, NULL, NULL)) == 1);
        if (later) ompls_data_end(&data, env);
        ompls_taskwait();
        expected += which + 1;
        MOCK_CHECK(own[0] == expected && own[LENGTH - 1] == expected);
        if (!later) ompls_data_end(&data, env);
    }
    return NULL;
}

/* --- slow copies ------------------------------------------------------------------------------------------------------ */

static const ompls_item_desc both_ways[] = {{"x", OMPLS_MAP_TO | OMPLS_MAP_FROM}};
static ompls_region mapping = {.file = "stress.c", .line = 3, .nitems = 1, .items = both_ways};
static int variable[2] = {5, 6};
static pthread_barrier_t both;

static int *there(int *host) {
    ompls_address address;
    MOCK_CHECK(ompls_find_address(ompls_device_at(0), host, sizeof *host, &address));
    return (int *)(uintptr_t)address;
}

/* Returns when two copies are under way. */
static void meet(void) {
    static _Atomic unsigned arrived;
    unsigned mine = atomic_fetch_add(&arrived, 1);
    for (int i = 0; i < 10000 && atomic_load(&arrived) <= (mine | 1); i++) usleep(1000);
    MOCK_CHECK(atomic_load(&arrived) > (mine | 1));
}

static void dawdle(void) {
    usleep(50 * 1000);
}

static void *map_one(void *argument) {
    int *mine = argument, value = *mine;
    ompls_arg arg = {mine, mine, sizeof *mine, 0};
    struct ompls_env *env = ompls_data_begin(&mapping, 0, &arg);
    MOCK_CHECK(*there(mine) == value);
    pthread_barrier_wait(&both);
    ompls_data_end(&mapping, env);
    return NULL;
}

static void in_two_threads(void *(*first)(void *), void *one, void *(*second)(void *), void *other) {
    pthread_t threads[2];
    mock_reset();
    MOCK_CHECK(pthread_create(&threads[0], NULL, first, one) == 0 && pthread_create(&threads[1], NULL, second, other) == 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}

static void *change_there(void *unused) {
    (void)unused;
    ompls_arg arg = {variable, variable, sizeof *variable, 0};
    struct ompls_env *env = ompls_data_begin(&mapping, 0, &arg);
    *there(variable) = 77;
    pthread_barrier_wait(&both);
    ompls_data_end(&mapping, env);
    return NULL;
}

static void *map_while_it_leaves(void *unused) {
    (void)unused;
    ompls_arg arg = {variable, variable, sizeof *variable, 0};
    pthread_barrier_wait(&both);
    usleep(10 * 1000);
    struct ompls_env *env = ompls_data_begin(&mapping, 0, &arg);
    MOCK_CHECK(*there(variable) == 77);
    ompls_data_end(&mapping, env);
    return NULL;
}

static void slow_copies(void) {
    pthread_barrier_init(&both, NULL, 2);
    mock_copying = meet;
    in_two_threads(map_one, &variable[0], map_one, &variable[1]);
    MOCK_CHECK(mock_in == 2 && mock_out == 2);
    mock_copying = dawdle;
    in_two_threads(map_one, variable, map_one, variable);
    MOCK_CHECK(mock_in == 1 && mock_out == 1 && mock_allocs == 1 && mock_frees == 1);
    in_two_threads(change_there, NULL, map_while_it_leaves, NULL);
    MOCK_CHECK(variable[0] == 77);
    mock_copying = NULL;
    mock_reset();
}

int main(void) {
    pthread_t threads[THREADS];
    slow_copies();
    mock_add_kernel("add", add);
    for (int i = 0; i < SHARED; i++)
        for (int k = 0; k < LENGTH; k++) shared[i][k] = i + 1;
    for (intptr_t i = 0; i < THREADS; i++) MOCK_CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    MOCK_CHECK(mock_launches == THREADS * ROUNDS && mock_allocs == mock_frees && mock_allocs > 0 && mock_opens == 2);
    for (int device = 0; device < 2; device++) MOCK_CHECK(atomic_load(&ompls_device_at(device)->table.count) == 0);
    return 0;
}
