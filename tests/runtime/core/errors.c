/* One failing program for each name: the driver compares what it says and how it ends. */
#include <omp.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mock.h"

static int x[8], y[8];
static const uintptr_t far_away = 0x7000000000; /* a pointer to memory that nothing else is near */
static const ompls_item_desc items[] = {{"x[0:8]", OMPLS_MAP_TO}};
static const ompls_item_desc present[] = {{"x[0:8]", OMPLS_MAP_TO | OMPLS_MAP_PRESENT}};
static const ompls_item_desc whole[] = {{"x[2:6]", OMPLS_MAP_TO}};
static const ompls_item_desc unmapped[] = {{"x[0:8]", OMPLS_MAP_TO}, {"p", OMPLS_MAP_ZERO_LENGTH | OMPLS_MAP_IMPLICIT}};
static const ompls_param_desc params[] = {{"x", OMPLS_PARAM_ADDRESS, 0, 8}, {"p", OMPLS_PARAM_ADDRESS, 1, 8}, {"q", OMPLS_PARAM_POINTER, 0, 8}};
static ompls_region data = {"bad.c", 10, 0, OMPLS_MODE_SPMD, 1, 0, 0, items, 0, 0, 0, 0};
static ompls_region data_present = {"bad.c", 11, 0, OMPLS_MODE_SPMD, 1, 0, 0, present, 0, 0, 0, 0};
static const ompls_item_desc held_item[] = {{"x[0:8]", OMPLS_MAP_TO | OMPLS_MAP_HOLD}};
static ompls_region data_held = {"bad.c", 13, 0, OMPLS_MODE_SPMD, 1, 0, 0, held_item, 0, 0, 0, 0};
static ompls_region inner = {"bad.c", 12, 0, OMPLS_MODE_SPMD, 1, 0, 0, whole, 0, 0, 0, 0};
static ompls_region region = {"bad.c", 20, "kernel", OMPLS_MODE_SPMD, 2, 3, 1, unmapped, params, 0, 0, 0};

static void kernel(void **given, const ompls_launch_request *request) {
    (void)given, (void)request;
}

static void fault(int kind, const void *address, uint32_t line) {
    mock_launch_error.fault = kind;
    mock_launch_error.fault_address = (uintptr_t)address;
    mock_launch_error.fault_line = line;
}

static int run(void) {
    uintptr_t q = far_away;
    const void *values[] = {&q};
    ompls_arg args[] = {{x, x, sizeof x, 0}, {y, y, 0, 0}};
    return ompls_target(&region, 0, args, values, NULL);
}

/* The program's own handler asks while the failure was under the table's lock. */
static void at_end(void) {
    printf("present: %d\n", omp_target_is_present(x, 0));
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    ompls_arg all = {x, x, sizeof x, 0}, part = {x, x + 2, 6 * sizeof *x, 0};
    printf("before\n");
    if (strcmp(name, "no-kernel") != 0) mock_add_kernel("kernel", kernel);
    if (strcmp(name, "overlap") == 0) {
        ompls_enter_data(&inner, 0, &part);
        ompls_enter_data(&data, 0, &all);
    } else if (strcmp(name, "exit-overlap") == 0) {
        ompls_enter_data(&inner, 0, &part);
        ompls_exit_data(&data, 0, &all);
    } else if (strcmp(name, "narrow") == 0) {
        static int *pointer = y;
        static const ompls_item_desc both[] = {{"pointer", OMPLS_MAP_TO}, {"pointer[0:8]", OMPLS_MAP_TO | OMPLS_MAP_ATTACH}};
        static ompls_region attaching = {"bad.c", 14, 0, OMPLS_MODE_SPMD, 2, 0, 0, both, 0, 0, 0, 0};
        ompls_enter_data(&attaching, 0, (ompls_arg[]){{&pointer, &pointer, sizeof pointer, 0}, {y, y, sizeof y, &pointer}});
    } else if (strcmp(name, "beyond") == 0) {
        static const ompls_item_desc back[] = {{"y[a:b]", OMPLS_MAP_FROM}};
        static ompls_region returning = {"bad.c", 15, 0, OMPLS_MODE_SPMD, 1, 0, 0, back, 0, 0, 0, 0};
        static const ompls_object arrays[] = {{"y", y, sizeof y}, {"x", x, sizeof x}};
        ompls_register_objects(arrays, 2);
        ompls_enter_data(&returning, 1, &(ompls_arg){x, x, sizeof x, 0}); /* as long as it is, and behind it */
        ompls_enter_data(&returning, 1, &(ompls_arg){x + 8, x + 8, 0, 0});
        ompls_enter_data(&returning, 0, &(ompls_arg){y, y + 6, 3 * sizeof *y, 0});
    } else if (strcmp(name, "beyond-own") == 0) {
        static const ompls_item_desc own[] = {{"y[a:b]", OMPLS_MAP_FROM, sizeof y}};
        static ompls_region returning = {"bad.c", 16, 0, OMPLS_MODE_SPMD, 1, 0, 0, own, 0, 0, 0, 0};
        ompls_enter_data(&returning, 0, &(ompls_arg){y, y + 2, 6 * sizeof *y, 0});
        ompls_enter_data(&returning, 1, &(ompls_arg){y, y + 2, 7 * sizeof *y, 0});
    } else if (strcmp(name, "absent") == 0) {
        ompls_enter_data(&data_present, 0, &all);
    } else if (strcmp(name, "update-absent") == 0) {
        ompls_update(&data_present, 1, &all);
    } else if (strcmp(name, "memory-held") == 0) {
        static char held[6][32];
        static const ompls_item_desc kinds[] = {{"small", 1}, {"m", 1}, {"large", 1}, {"tiny", 1}, {"medium", 1}, {"middle", 1}};
        static const uint64_t sizes[] = {8, 10, 20, 1, 11, 12};
        static ompls_region each[6];
        for (int i = 0; i < 6; i++) {
            each[i] = (ompls_region){.file = "bad.c", .line = 9, .nitems = 1, .items = &kinds[i]};
            ompls_enter_data(&each[i], 0, &(ompls_arg){held[i], held[i], sizes[i], 0});
        }
        mock_memory_limit = 8;
        ompls_enter_data(&data, 0, &all);
    } else if (strcmp(name, "memory") == 0) {
        mock_memory_limit = 8;
        ompls_enter_data(&data, 0, &all);
    } else if (strcmp(name, "copy") == 0) {
        atexit(at_end);
        mock_copy_failure = "the cable is out";
        ompls_enter_data(&data, 0, &all);
    } else if (strcmp(name, "launch") == 0) {
        strcpy(mock_launch_error.reason, "too many threads: 5000 of 1024");
        strcpy(mock_launch_error.hint, "lower num_threads");
        run();
    } else if (strcmp(name, "read") == 0) {
        fault(1, &y[5], 22);
        run();
    } else if (strcmp(name, "write") == 0) {
        fault(2, (void *)(far_away + 12), 0);
        run();
    } else if (strcmp(name, "null") == 0) {
        fault(1, (void *)8, 23);
        run();
    } else if (strcmp(name, "null-named") == 0) {
        fault(1, (void *)8, 23);
        ompls_target(&region, 0, (ompls_arg[]){{x, x, sizeof x, 0}, {y, y, 0, 0}}, (const void *[]){&(void *){NULL}}, NULL);
    } else if (strcmp(name, "device-memory") == 0) {
        mock_reserved = (uintptr_t)x;
        ompls_enter_data(&data, 0, &all);
    } else if (strcmp(name, "neighbour") == 0) {
        ompls_enter_data(&data, 0, &all);
        ompls_enter_data(&data_held, 0, &(ompls_arg){y, y, sizeof y, 0});
        char *first = ompls_device_address(0, x), *second = ompls_device_address(0, y);
        fault(1, (first < second ? first : second) + sizeof x, 24); /* the other one begins a few bytes behind that */
        run();
    } else if (strcmp(name, "past-the-end") == 0) {
        ompls_enter_data(&data, 0, &all);
        fault(2, (char *)ompls_device_address(0, x) + sizeof x + 12, 24);
        run();
    } else if (strcmp(name, "not-attached") == 0) {
        fault(1, &x[3], 25);
        run();
    } else if (strcmp(name, "points-before") == 0) {
        static const ompls_item_desc section[] = {{"p[2:6]", OMPLS_MAP_TO}};
        static ompls_region around = {.file = "bad.c", .line = 9, .nitems = 1, .items = section};
        ompls_enter_data(&around, 0, &(ompls_arg){y + 2, y + 2, 6 * sizeof *y, 0});
        fault(1, &y[3], 25);
        run();
    } else if (strcmp(name, "nowhere") == 0) {
        fault(1, (void *)0x1000, 26);
        run();
    } else if (strcmp(name, "in-a-header") == 0) {
        fault(1, &y[5], 27);
        strcpy(mock_launch_error.fault_file, "other.h");
        run();
    } else if (strcmp(name, "in-its-file") == 0) {
        region.file = "some/where/bad.c";
        fault(1, &y[5], 28);
        strcpy(mock_launch_error.fault_file, "bad.c");
        run();
    } else if (strcmp(name, "fork") == 0) {
        int status = 0, here = run();
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) _exit(run());
        waitpid(child, &status, 0);
        printf("ran on a device: %d, in a child: %d\n", here, WEXITSTATUS(status));
    } else if (strcmp(name, "open") == 0) {
        mock_open_failure = "the cable is out";
        printf("ran on a device: %d\n", run());
        printf("ran on a device: %d\n", run());
    } else if (strcmp(name, "number") == 0) {
        for (int i = 0; i < 3; i++) ompls_update(&data, 7 + i, &all);
        MOCK_CHECK(ompls_target(&data, 99, &all, NULL, NULL) == 0);
        MOCK_CHECK(!omp_target_is_present(x, 9)); /* which says so itself */
    } else if (strcmp(name, "default-number") == 0) {
        omp_set_default_device(9);
        for (int i = 0; i < 3; i++) ompls_update(&data, OMPLS_DEVICE_DEFAULT, &all);
    } else if (strcmp(name, "left-behind") == 0) {
        ompls_enter_data(&data, 0, &all);
        fflush(stdout);
        if (fork() == 0) _exit(run() + run());
        wait(NULL);
    } else if (strcmp(name, "mapped-too-often") == 0) {
        for (int i = 0; i < 1 << 24; i++) ompls_enter_data(&data, 0, &all);
    } else if (strcmp(name, "held-too-often") == 0) {
        for (int i = 0; i < 1 << 16; i++) ompls_data_begin(&data_held, 0, &all);
    } else {
        printf("ran on a device: %d of %d\n", run(), ompls_device_count());
    }
    return 0;
}
