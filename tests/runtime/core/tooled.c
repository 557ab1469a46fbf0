/* What a tool sees of: a region that maps a variable, a deferred one, the stand-alone data constructs, an environment. */
#include "mock.h"

static const ompls_item_desc items[] = {{"x", OMPLS_MAP_TO | OMPLS_MAP_FROM}};
static const ompls_param_desc params[] = {{"x", OMPLS_PARAM_ADDRESS, 0, 8}};
static ompls_region region = {.file = "t.c", .line = 3, .kernel = "add", .nitems = 1, .nparams = 1, .items = items, .params = params};
static ompls_region data = {.file = "t.c", .line = 4, .nitems = 1, .items = items};

static void add(void **given, const ompls_launch_request *request) {
    (void)request;
    ++**(int **)given[0];
}

int main(void) {
    int x = 1;
    ompls_arg args[] = {{&x, &x, sizeof x, 0}};
    mock_add_kernel("add", add);
    MOCK_CHECK(ompls_target(&region, 0, args, NULL, NULL) == 1 && x == 2);
    ompls_enter_data(&data, 0, args);
    MOCK_CHECK(ompls_target_nowait(&region, 0, args, NULL, NULL, 0, NULL) == 1);
    ompls_taskwait();
    ompls_update(&data, 0, args);
    ompls_exit_data(&data, 0, args);
    ompls_data_end(&data, ompls_data_begin(&data, 0, args));
    return 0;
}
