/* A small OMPT tool: one line an event on stderr.  Built as a shared object; OMP_TOOL_LIBRARIES names it. */
#include <ompls_tools.h>
#include <stdio.h>

static ompls_get_construct_t get_construct;

static const char *where(void) {
    static _Thread_local char text[256];
    const char *file = "-", *variable = NULL;
    unsigned line = 0;
    get_construct(&file, &line, &variable);
    snprintf(text, sizeof text, "%s:%u %s", file, line, variable != NULL ? variable : "-");
    return text;
}

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task, ompt_data_t *target_task,
                      ompt_data_t *target, const void *address) {
    (void)task, (void)target_task, (void)address;
    if (endpoint == ompt_scope_begin) target->value = 42;
    fprintf(stderr, "target %d %d device %d data %d %s\n", kind, endpoint, device, (int)target->value, where());
}

static void on_data(ompt_scope_endpoint_t endpoint, ompt_data_t *task, ompt_data_t *target, ompt_id_t *operation,
                    ompt_target_data_op_t kind, void *from, int from_device, void *to, int to_device, size_t bytes, const void *address) {
    (void)task, (void)target, (void)from, (void)to, (void)address;
    fprintf(stderr, "data %d %d op %d from %d to %d bytes %zu %s\n", kind, endpoint, (int)*operation, from_device, to_device, bytes, where());
}

static void on_submit(ompt_scope_endpoint_t endpoint, ompt_data_t *target, ompt_id_t *operation, unsigned teams) {
    fprintf(stderr, "submit %d op %d data %d teams %u\n", endpoint, (int)*operation, (int)target->value, teams);
}

static void on_device(int device, const char *type, ompt_device_t *handle, ompt_function_lookup_t lookup, const char *text) {
    (void)handle, (void)lookup, (void)text;
    fprintf(stderr, "device %d %s\n", device, type);
}

static void on_load(int device, const char *file, int64_t offset, void *vma, size_t bytes, void *host, void *there, uint64_t id) {
    (void)file, (void)offset, (void)vma, (void)host, (void)there, (void)id;
    fprintf(stderr, "load %d bytes %zu\n", device, bytes);
}

static void on_device_end(int device) {
    fprintf(stderr, "device %d ends\n", device);
}

static int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *data) {
    (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    get_construct = (ompls_get_construct_t)lookup("ompls_get_construct");
    fprintf(stderr, "tool: %d devices, %d %d\n", initial_device, lookup("ompt_get_nothing") == NULL,
            set((ompt_callbacks_t)3, NULL) == ompt_set_never);
    set(ompt_callback_target_emi, (ompt_callback_t)on_target);
    set(ompt_callback_target_data_op_emi, (ompt_callback_t)on_data);
    set(ompt_callback_target_submit_emi, (ompt_callback_t)on_submit);
    set(ompt_callback_device_initialize, (ompt_callback_t)on_device);
    set(ompt_callback_device_load, (ompt_callback_t)on_load);
    set(ompt_callback_device_finalize, (ompt_callback_t)on_device_end);
    return 1;
}

static void finalize(ompt_data_t *data) {
    (void)data;
    fprintf(stderr, "tool ends\n");
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)runtime;
    return version >= 202011 ? &result : NULL;
}
