/* Items that are known at run time only: lists, parts of items, rectangles; and programs that require shared memory. */
#include <omp.h>
#include <string.h>

#include "mock.h"

enum { TO = OMPLS_MAP_TO, FROM = OMPLS_MAP_FROM, PART = OMPLS_MAP_PART, LIST = OMPLS_MAP_LIST, ROWS = OMPLS_MAP_ROWS };

static const ompls_item_desc with_list[] = {{"s", 0}, {"s", LIST}}, list_only[] = {{"a", LIST}};
static const ompls_item_desc with_parts[] = {{"s", 0}, {"s.a", TO | PART}, {"s.b", FROM | PART}};
static const ompls_item_desc whole_items[] = {{"a", TO}}, present_part[] = {{"s", 0}, {"s.a", TO | PART | OMPLS_MAP_PRESENT}};
static ompls_region listed = {"l.c", 1, 0, OMPLS_MODE_SPMD, 2, 0, 0, with_list, 0, 0, 1, 0};
static ompls_region several = {"l.c", 2, 0, OMPLS_MODE_SPMD, 1, 0, 0, list_only, 0, 0, 1, 0};
static ompls_region parts = {"l.c", 3, 0, OMPLS_MODE_SPMD, 3, 0, 0, with_parts, 0, 0, 0, 0};
static ompls_region whole = {"l.c", 4, 0, OMPLS_MODE_SPMD, 1, 0, 0, whole_items, 0, 0, 0, 0};
static ompls_region absent = {"l.c", 5, 0, OMPLS_MODE_SPMD, 2, 0, 0, present_part, 0, 0, 0, 0};

static void parts_are_copied_by_their_own_flags(void) {
    int s[4] = {1, 2, 3, 4}, there[4];
    ompls_arg args[] = {{s, s, sizeof s, 0}, {s, &s[1], 4, 0}, {s, &s[2], 4, 0}};
    mock_reset();
    struct ompls_env *outer = ompls_data_begin(&parts, 0, args), *inner = ompls_data_begin(&parts, 0, args);
    MOCK_CHECK(mock_allocs == 1 && mock_in == 1);
    int *device = ompls_device_address(0, s);
    memcpy(there, device, sizeof there);
    MOCK_CHECK(there[1] == 2 && there[2] != 3);
    for (int i = 0; i < 4; i++) device[i] = 10 + i;
    ompls_data_end(&parts, inner);
    MOCK_CHECK(mock_out == 0);
    ompls_data_end(&parts, outer);
    MOCK_CHECK(mock_out == 1 && mock_frees == 1 && s[0] == 1 && s[1] == 2 && s[2] == 12 && s[3] == 4);
}

static void a_list_stands_for_its_items(void) {
    struct {
        int n;
        int *data;
    } s = {3, (int[]){7, 8, 9}};
    ompls_list *list = NULL;
    ompls_list_add(&list, "s.data[0:3]", TO | FROM | OMPLS_MAP_ATTACH, s.data, s.data, 12, &s.data);
    ompls_list_add(&list, "s.n", TO | PART, &s, &s.n, 4, 0);
    ompls_arg args[] = {{&s, &s, sizeof s, 0}, {0, 0, 0, list}};
    mock_reset();
    struct ompls_env *env = ompls_data_begin(&listed, 0, args);
    MOCK_CHECK(mock_allocs == 2 && mock_in == 3); /* the data, the part, the pointer */
    int **pointer = (int **)((char *)ompls_device_address(0, &s) + ((char *)&s.data - (char *)&s));
    MOCK_CHECK(*pointer == ompls_device_address(0, s.data) && (*pointer)[2] == 9);
    (*pointer)[2] = 90;
    ompls_data_end(&listed, env);
    MOCK_CHECK(mock_frees == 2 && s.data[2] == 90);
    args[1].pointer = NULL; /* nothing was added */
    ompls_data_end(&listed, ompls_data_begin(&listed, 0, args));
    MOCK_CHECK(mock_allocs == 3 && mock_frees == 3);
}

static void neighbours_are_one_item(void) {
    int a[8] = {0};
    ompls_list *list = NULL;
    for (int i = 0; i < 8; i++) ompls_list_add(&list, i < 6 ? "a[i]" : "a[k]", TO, a, &a[i], 4, 0);
    mock_reset();
    ompls_enter_data(&several, 0, &(ompls_arg){0, 0, 0, list});
    MOCK_CHECK(mock_allocs == 2 && mock_in == 2);
    ompls_list *again = NULL;
    ompls_list_add(&again, "a[0:6]", OMPLS_MAP_DELETE, a, a, 24, 0);
    ompls_list_add(&again, "a[6:2]", OMPLS_MAP_DELETE, a, &a[6], 8, 0);
    ompls_exit_data(&several, 0, &(ompls_arg){0, 0, 0, again});
    MOCK_CHECK(mock_frees == 2 && !omp_target_is_present(a, 0));
}

static void update_rectangle(int direction, int *a, uint64_t rows, uint64_t columns) {
    ompls_list *list = NULL;
    ompls_list_add(&list, "a[1:rows:2][1:columns]", (uint32_t)direction | ROWS, a, &a[9], sizeof *a, 0);
    ompls_list_rows(&list, columns, sizeof *a);
    ompls_list_rows(&list, rows, 16 * sizeof *a);
    ompls_update(&several, 0, &(ompls_arg){0, 0, 0, list});
}

static void rectangles_leave_the_rest_alone(void) {
    int a[64]; /* 8 x 8 */
    ompls_arg arg = {a, a, sizeof a, 0};
    for (int i = 0; i < 64; i++) a[i] = i;
    ompls_enter_data(&whole, 0, &arg);
    int *device = ompls_device_address(0, a);
    for (int i = 0; i < 64; i++) a[i] = -1;
    mock_reset();
    update_rectangle(FROM, a, 3, 4);
    MOCK_CHECK(mock_out == 1); /* one copy, sorted out on the host */
    for (int i = 0; i < 64; i++) MOCK_CHECK(a[i] == (i / 8 % 2 == 1 && i / 8 < 6 && i % 8 >= 1 && i % 8 < 5 ? i : -1));
    update_rectangle(TO, a, 3, 4);
    MOCK_CHECK(mock_in == 3);
    update_rectangle(FROM, a, 1, 4); /* contiguous */
    update_rectangle(FROM, a, 0, 4);
    update_rectangle(TO, a, 3, 0);
    MOCK_CHECK(mock_in == 3 && mock_out == 2);
    MOCK_CHECK(device[8] == 8 && device[9] == 9);
    ompls_exit_data(&whole, 0, &arg);
}

static void on_the_initial_device_lists_are_dropped(void) {
    int a[4] = {0};
    ompls_list *list = NULL;
    ompls_list_add(&list, "a", TO, a, a, sizeof a, 0);
    mock_reset();
    MOCK_CHECK(ompls_data_begin(&several, OMPLS_DEVICE_INITIAL, &(ompls_arg){0, 0, 0, list}) == NULL && mock_allocs == 0);
}

int main(int argc, char **argv) {
    static const ompls_unit sharing = {OMPLS_ABI, "l.c", 0, 0, 0, 0, OMPLS_REQUIRES_SHARED_MEMORY};
    if (argc > 1 && strcmp(argv[1], "shared") == 0) {
        ompls_register_unit(&sharing);
        int a[4];
        MOCK_CHECK(ompls_data_begin(&whole, 0, &(ompls_arg){a, a, sizeof a, 0}) == NULL);
        return 0;
    }
    if (argc > 1) {
        int s[4];
        ompls_data_begin(&absent, 0, (ompls_arg[]){{s, s, sizeof s, 0}, {s, s, 4, 0}});
        return 1;
    }
    parts_are_copied_by_their_own_flags();
    a_list_stands_for_its_items();
    neighbours_are_one_item();
    rectangles_leave_the_rest_alone();
    on_the_initial_device_lists_are_dropped();
    return 0;
}
