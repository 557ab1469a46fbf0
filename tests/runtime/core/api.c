/* The routines of OpenMP 6.0 that concern devices as a whole; `api devices` lists what the program sees. */
#include <errno.h>
#include <omp.h>
#include <string.h>

#include "mock.h"

int omp_target_associate_ptr(const void *, const void *, size_t, size_t, int);

static int initial = 41;
static const ompls_global globals[] = {{"counter", "__ompls_g_counter", &initial, sizeof initial, 0}};
static const ompls_unit unit = {OMPLS_ABI, "api.c", globals, 1, 0, 0, 0};
static const ompls_item_desc items[] = {{"x[0:8]", OMPLS_MAP_TO}};
static ompls_region enter = {"api.c", 10, 0, OMPLS_MODE_SPMD, 1, 0, 0, items, 0, 0, 0, 0};

__attribute__((constructor)) static void announce(void) {
    ompls_register_unit(&unit);
}

static void identifiers(void) {
    int devices = omp_get_num_devices();
    for (int i = 0; i <= devices; i++) MOCK_CHECK(omp_get_device_from_uid(omp_get_uid_from_device(i)) == i);
    MOCK_CHECK(strcmp(omp_get_uid_from_device(0), omp_get_uid_from_device(1)) != 0);
    MOCK_CHECK(omp_get_uid_from_device(omp_initial_device) == omp_get_uid_from_device(devices));
    MOCK_CHECK(omp_get_uid_from_device(99) == NULL && omp_get_uid_from_device(-7) == NULL);
    MOCK_CHECK(omp_get_device_from_uid("no such device") == omp_invalid_device && omp_get_device_from_uid(NULL) == omp_invalid_device);
}

static void pausing(void) {
    int x[8] = {1}, value, *there, *own = omp_target_alloc(sizeof x, 0), other[4];
    ompls_arg arg = {x, x, sizeof x, 0};
    ompls_enter_data(&enter, 0, &arg);
    ompls_enter_data(&enter, 0, &arg);
    MOCK_CHECK(omp_target_associate_ptr(other, own, sizeof other, 0, 0) == 0);
    there = omp_get_mapped_ptr(&initial, 0);
    value = 7;
    MOCK_CHECK(omp_target_memcpy(there, &value, sizeof value, 0, 0, 0, omp_get_initial_device()) == 0);
    MOCK_CHECK(omp_pause_resource(omp_pause_soft, 0) == 0 && omp_target_is_present(x, 0));
    mock_reset();
    MOCK_CHECK(omp_pause_resource(omp_pause_hard, 0) == 0 && !omp_target_is_present(x, 0) && mock_frees == 2);
    MOCK_CHECK(omp_target_is_present(other, 0) && omp_get_mapped_ptr(other, 0) == own); /* the program's own */
    there = omp_get_mapped_ptr(&initial, 0);
    MOCK_CHECK(omp_target_memcpy(&value, there, sizeof value, 0, 0, omp_get_initial_device(), 0) == 0 && value == 41);
    ompls_enter_data(&enter, 0, &arg); /* the device goes on */
    MOCK_CHECK(omp_target_is_present(x, 0) && mock_out == 1);
    MOCK_CHECK(omp_pause_resource(omp_pause_hard, 99) != 0 && omp_pause_resource((omp_pause_resource_t)77, 0) != 0);
    MOCK_CHECK(omp_pause_resource_all((omp_pause_resource_t)77) != 0);
    MOCK_CHECK(omp_pause_resource(omp_pause_soft, omp_get_initial_device()) == 0);
    MOCK_CHECK(omp_pause_resource_all(omp_pause_hard) == 0 && !omp_target_is_present(x, 0));
    omp_target_free(own, 0);
}

/* Wrong arguments get the specification's answers. */
static void wrong_arguments(void) {
    char x[8] = {0};
    size_t one[] = {1}, none[] = {0};
    int host = omp_get_initial_device();
    MOCK_CHECK(omp_target_alloc(8, 99) == NULL && omp_target_alloc(8, -9) == NULL && omp_target_alloc(0, 0) == NULL);
    omp_target_free(NULL, 0);
    omp_target_free(x, 99);
    MOCK_CHECK(!omp_target_is_present(NULL, 0) && !omp_target_is_present(x, 99) && !omp_target_is_present(x, -9));
    MOCK_CHECK(!omp_target_is_accessible(NULL, 1, host) && !omp_target_is_accessible(x, 1, 99));
    MOCK_CHECK(omp_get_mapped_ptr(NULL, 0) == NULL && omp_get_mapped_ptr(x, -9) == NULL);
    MOCK_CHECK(omp_target_memcpy(NULL, x, 1, 0, 0, host, host) == EINVAL && omp_target_memcpy(x, NULL, 1, 0, 0, host, host) == EINVAL);
    MOCK_CHECK(omp_target_memcpy(x, x, 1, 0, 0, 99, host) == EINVAL && omp_target_memcpy(NULL, NULL, 0, 0, 0, host, host) == 0);
    MOCK_CHECK(omp_target_memcpy_rect(x, NULL, 1, 1, one, none, none, one, one, host, host) == EINVAL);
    MOCK_CHECK(omp_target_memcpy_rect(x, x, 1, 0, one, none, none, one, one, host, host) == EINVAL);
    MOCK_CHECK(omp_target_memcpy_rect(x, x, 1, 1, NULL, none, none, one, one, host, host) == EINVAL);
    MOCK_CHECK(omp_target_associate_ptr(NULL, x, 1, 0, 0) != 0 && omp_target_associate_ptr(x, x, 8, 0, 99) != 0);
    MOCK_CHECK(omp_target_associate_ptr(x, x, 0, 0, 0) != 0 && omp_target_disassociate_ptr(x, 0) != 0);
    MOCK_CHECK(omp_target_memset(x, 3, 8, 99) == x && x[0] == 0 && omp_target_memset(NULL, 3, 0, 0) == NULL);
}

int main(int argc, char **argv) {
    if (getenv("MOCK_DEVICES") != NULL) mock_probe_count = atoi(getenv("MOCK_DEVICES"));
    if (argc > 1 && strcmp(argv[1], "display") == 0) omp_display_env(1);
    if (argc > 1) {
        for (int i = 0; i < omp_get_num_devices(); i++) printf("%s ", omp_get_uid_from_device(i));
        printf("\n");
        return 0;
    }
    const char *(*uid)(int) = omp_get_uid_from_device; /* also through pointers */
    int (*count)(void) = omp_get_num_devices;
    MOCK_CHECK(count() == 2 && strcmp(uid(1), "mock:1") == 0);
    identifiers();
    pausing();
    wrong_arguments();
    return 0;
}
