/* Which of a kernel's two versions is launched: `k_restrict` where nothing that `k` may write overlaps what it only reads. */
#include <omp.h>
#include <sched.h>

#include "mock.h"

enum { FLAGS = OMPLS_MAP_ZERO_LENGTH | OMPLS_MAP_IMPLICIT };

static const ompls_item_desc items[] = {{"to", FLAGS}, {"from", FLAGS}, {"also", FLAGS}};
static const ompls_param_desc params[] = {{"to", OMPLS_PARAM_ADDRESS, 0, 8}, {"n", OMPLS_PARAM_VALUE, 0, 4},
                                          {"from", OMPLS_PARAM_ADDRESS, 1, 8}, {"also", OMPLS_PARAM_ADDRESS, 2, 8}};
static const ompls_param_desc promised[] = {{"to", OMPLS_PARAM_ADDRESS, 0, 8}, {"n", OMPLS_PARAM_VALUE, 0, 4},
                                            {"from", OMPLS_PARAM_READ, 1, 8}, {"also", OMPLS_PARAM_READ, 2, 8}};
static ompls_region region = {"v.c", 1, "k", OMPLS_MODE_SPMD, 3, 4, 1, items, promised, 0, 0, "k"};
static ompls_region silent = {"v.c", 2, "k", OMPLS_MODE_SPMD, 3, 4, 1, items, params, 0, 0, "k"};
static ompls_region alone = {"v.c", 3, "alone", OMPLS_MODE_SPMD, 3, 4, 1, items, promised, 0, 0, "alone"};
static ompls_region slow = {"v.c", 4, "slow", OMPLS_MODE_SPMD, 0, 0, 0, 0, 0, 0, 0, "slow"};
static const ompls_item_desc mapped[] = {{"x", OMPLS_MAP_TO | OMPLS_MAP_FROM}};
static ompls_region data = {"v.c", 5, NULL, OMPLS_MODE_SPMD, 1, 0, 0, mapped, 0, 0, 0, NULL};

static _Atomic int plain, restricted, begun, released;
static int n = 5;
static const void *const values[] = {&n};

static void k(void **p, const ompls_launch_request *request) {
    (void)p, (void)request;
    plain++;
}

static void k_restrict(void **p, const ompls_launch_request *request) {
    MOCK_CHECK(request->nparams == 4 && *(int *)p[1] == n);
    restricted++;
}

static void k_slow(void **p, const ompls_launch_request *request) {
    (void)p, (void)request;
    begun = 1;
    while (!released) sched_yield();
}

static ompls_arg pointer(const int *to) {
    return (ompls_arg){to, to, 0, NULL};
}

/* 1: the version with the promise; 0: the other one. */
static int launched(ompls_region *of, const int *to, const int *from, const int *also) {
    plain = restricted = 0;
    MOCK_CHECK(ompls_target(of, 0, (ompls_arg[]){pointer(to), pointer(from), pointer(also)}, values, NULL) == 1);
    MOCK_CHECK(plain + restricted == 1);
    return restricted;
}

static int deferred(const int *to, const int *from, const int *also) {
    plain = restricted = 0;
    ompls_target_nowait(&region, 0, (ompls_arg[]){pointer(to), pointer(from), pointer(also)}, values, NULL, 0, NULL);
    ompls_taskwait();
    MOCK_CHECK(plain + restricted == 1);
    return restricted;
}

static int x[8] = {1}, y[8] = {1}, z[8], absent[8], host[8];

static void map(const int *object) {
    ompls_enter_data(&data, 0, &(ompls_arg){object, object, sizeof x, NULL});
}

static void what_overlaps(void) {
    for (int round = 0; round < 2; round++) { /* the second one knows the kernel */
        MOCK_CHECK(launched(&region, x, y, z) == 1);
        MOCK_CHECK(launched(&region, y, x, x) == 1); /* two that are only read */
        MOCK_CHECK(launched(&region, x, x, z) == 0);
        MOCK_CHECK(launched(&region, x, y, x + 4) == 0);
        MOCK_CHECK(launched(&region, x + 1, x, y) == 0);
    }
}

static void what_is_not_there(void) {
    MOCK_CHECK(launched(&region, x, absent, z) == 0);
    MOCK_CHECK(launched(&region, x, y, NULL) == 0);
}

static void two_ranges_of_the_host_for_one_of_the_device(void) {
    int *memory = omp_target_alloc(2 * sizeof host, 0);
    MOCK_CHECK(omp_target_associate_ptr(host, memory, sizeof host, 0, 0) == 0);
    MOCK_CHECK(omp_target_associate_ptr(absent, memory, sizeof absent, sizeof(int), 0) == 0);
    MOCK_CHECK(launched(&region, host, absent, z) == 0);
    MOCK_CHECK(launched(&region, x, absent, host) == 1);
    omp_target_disassociate_ptr(host, 0);
    omp_target_disassociate_ptr(absent, 0);
}

static void beside_what_is_deferred(void) {
    MOCK_CHECK(deferred(x, y, z) == 1);
    MOCK_CHECK(deferred(x, x, z) == 0);
    ompls_target_nowait(&slow, 0, NULL, NULL, NULL, 0, NULL);
    while (!begun) sched_yield();
    MOCK_CHECK(launched(&region, x, y, z) == 0);
    released = 1;
    ompls_taskwait();
    MOCK_CHECK(launched(&region, x, y, z) == 1);
}

int main(void) {
    mock_add_kernel("k", k);
    mock_add_kernel("k_restrict", k_restrict);
    mock_add_kernel("alone", k);
    mock_add_kernel("slow", k_slow);
    map(x), map(y), map(z);
    what_overlaps();
    MOCK_CHECK(launched(&silent, x, y, z) == 0);
    MOCK_CHECK(launched(&alone, x, y, z) == 0 && launched(&alone, x, y, z) == 0);
    what_is_not_there();
    two_ranges_of_the_host_for_one_of_the_device();
    beside_what_is_deferred();
    ompls_shared_memory = true;
    MOCK_CHECK(launched(&region, x, y, z) == 0);
    return 0;
}
