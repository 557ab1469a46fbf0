/* tools.c -- the target part of OMPT: finds a tool and calls it back.  See include/ompls_tools.h.

   Events come from where the trace gets them: `ompls_observe` says that something ended, `ompls_begin` that it begins. */
#include "../include/ompls_tools.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core.h"

enum { OMP_VERSION = 202111, MOST = ompt_callback_target_submit_emi + 1 };

__attribute__((weak)) ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version);

bool ompls_tooling;
static ompt_start_tool_result_t *tool;
static ompt_callback_t callbacks[MOST];
static _Atomic uint64_t operations;

/* The construct that a thread is in. */
static _Thread_local struct {
    ompt_data_t target, task;
    ompt_id_t operation;
    ompls_place at;
    const char *variable;
    bool deferred;
} here;

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback) {
    bool ours = (event >= ompt_callback_device_initialize && event <= ompt_callback_device_load) ||
                (event >= ompt_callback_target_emi && event <= ompt_callback_target_submit_emi);
    if (!ours) return ompt_set_never;
    callbacks[event] = callback;
    return ompt_set_always;
}

static int get_callback(ompt_callbacks_t event, ompt_callback_t *callback) {
    if ((unsigned)event >= MOST || callbacks[event] == NULL) return 0;
    *callback = callbacks[event];
    return 1;
}

static int get_construct(const char **file, unsigned *line, const char **variable) {
    if (here.at.region == NULL) return 0;
    *file = here.at.region->file;
    *line = here.at.region->line;
    *variable = here.variable;
    return 1;
}

static ompt_interface_fn_t look_up(const char *name) {
    if (strcmp(name, "ompt_set_callback") == 0) return (ompt_interface_fn_t)set_callback;
    if (strcmp(name, "ompt_get_callback") == 0) return (ompt_interface_fn_t)get_callback;
    if (strcmp(name, "ompls_get_construct") == 0) return (ompt_interface_fn_t)get_construct;
    return NULL;
}

static ompt_start_tool_result_t *tool_in(const char *path) {
    void *library = dlopen(path, RTLD_NOW);
    if (library == NULL) {
        ompls_warn("OMP_TOOL_LIBRARIES: %s", dlerror());
        return NULL;
    }
    ompt_start_tool_result_t *(*start)(unsigned, const char *);
    void *found = dlsym(library, "ompt_start_tool");
    memcpy(&start, &found, sizeof start);
    ompt_start_tool_result_t *result = found != NULL ? start(OMP_VERSION, "ompls") : NULL;
    if (result == NULL) dlclose(library);
    return result;
}

/* When the devices are counted, before any is opened. */
void ompls_tools_start(int ndevices) {
    const char *wanted = getenv("OMP_TOOL"), *list = getenv("OMP_TOOL_LIBRARIES");
    if (wanted != NULL && strcasecmp(wanted, "disabled") == 0) return;
    if (ompt_start_tool != NULL) tool = ompt_start_tool(OMP_VERSION, "ompls");
    char path[4096];
    while (tool == NULL && list != NULL && *list != '\0') {
        size_t length = strcspn(list, ":");
        snprintf(path, sizeof path, "%.*s", (int)length, list);
        if (length > 0) tool = tool_in(path);
        list += length + (list[length] == ':');
    }
    if (tool != NULL && tool->initialize(look_up, ndevices, &tool->tool_data) == 0) tool = NULL;
    if (tool == NULL) return;
    ompls_tooling = true;
    ompls_observing = 1;
}

void ompls_tools_finish(void) {
    if (tool != NULL) tool->finalize(&tool->tool_data);
    tool = NULL;
    ompls_tooling = false;
}

#define CALL(event, ...)                                                                                     \
    do {                                                                                                     \
        if (callbacks[ompt_callback_##event] != NULL)                                                        \
            ((ompt_callback_##event##_t)callbacks[ompt_callback_##event])(__VA_ARGS__);                      \
    } while (0)

void ompls_tool_device(const ompls_device *device, const ompls_image *image) {
    CALL(device_initialize, device->number, device->module->name, NULL, look_up, NULL);
    if (image != NULL) CALL(device_load, device->number, NULL, -1, NULL, image->size, (void *)(uintptr_t)image->start, NULL, 0);
}

void ompls_tool_device_gone(const ompls_device *device) {
    CALL(device_finalize, device->number);
}

void ompls_tool_deferred(bool deferred) {
    here.deferred = deferred;
}

void ompls_tool_construct(ompls_place at, int kind, bool begin) {
    if (begin) {
        here.at = at;
        here.target.value = 0;
    }
    CALL(target_emi, (ompt_target_t)(kind + (here.deferred ? ompt_target_nowait - ompt_target : 0)),
         begin ? ompt_scope_begin : ompt_scope_end, at.device->number, NULL, here.deferred ? &here.task : NULL, &here.target, NULL);
    if (!begin) here.at = (ompls_place){0};
}

void ompls_tool_event(const ompls_event *event, bool begin) {
    ompt_scope_endpoint_t scope = begin ? ompt_scope_begin : ompt_scope_end;
    ompls_device *device = event->at.device;
    if (device == NULL) return;
    ompls_place outer = here.at;
    if (outer.region == NULL) here.at = event->at; /* an environment's end, a routine */
    if (begin) here.operation = atomic_fetch_add(&operations, 1) + 1;
    here.variable = event->var;
    int host = ompls_device_count();
    void *on_host = (void *)(uintptr_t)event->host, *there = (void *)(uintptr_t)event->address;
#define DATA_OP(op, from, from_device, to, to_device)                                                                        \
    CALL(target_data_op_emi, scope, here.deferred ? &here.task : NULL, &here.target, &here.operation, op, from, from_device, to, \
         to_device, event->bytes, NULL)
    if (strcmp(event->kind, "launch") == 0) CALL(target_submit_emi, scope, &here.target, &here.operation, event->grid[0] * event->grid[1] * event->grid[2]);
    else if (strcmp(event->kind, "alloc") == 0) DATA_OP(ompt_target_data_alloc, on_host, host, there, device->number);
    else if (strcmp(event->kind, "free") == 0) DATA_OP(ompt_target_data_delete, there, device->number, NULL, host);
    else if (strcmp(event->kind, "copy") == 0 && strcmp(event->direction, "to") == 0)
        DATA_OP(ompt_target_data_transfer_to_device, on_host, host, there, device->number);
    else if (strcmp(event->kind, "copy") == 0)
        DATA_OP(ompt_target_data_transfer_from_device, there, device->number, on_host, host);
#undef DATA_OP
    here.variable = NULL;
    here.at = outer;
}
