/* resources.c -- what <omp.h> asks of devices as a whole: giving back what they hold, their names, the settings in force. */
#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PAUSE_SOFT = 1, PAUSE_HARD = 2, PAUSE_STOP_TOOL = 3, INVALID_DEVICE = -4 };

/* libgomp has them from gcc 9 and 12 on. */
__attribute__((weak)) int __real_omp_pause_resource_all(int kind);
__attribute__((weak)) void __real_omp_display_env(int verbose);

int __wrap_omp_pause_resource(int kind, int number);
int __wrap_omp_pause_resource_all(int kind);
void __wrap_omp_display_env(int verbose);
const char *__wrap_omp_get_uid_from_device(int number);
int __wrap_omp_get_device_from_uid(const char *uid);

/* --- pausing (OpenMP 6.0 section 22.5) ---------------------------------------------------------------------------------- */

/* Everything that is mapped is given back, nothing is copied; `declare target` variables start again from their initial
   values.  What a construct still holds stays, and so does what the program allocated or associated itself. */
static int release_all(ompls_device *device) {
    ompls_error err = {0};
    int failed = 0;
    pthread_mutex_lock(&device->table.lock);
    for (uint32_t i = atomic_load(&device->table.count); i-- > 0;) {
        ompls_entry *entry = ompls_table_entry(&device->table, i);
        ompls_reference reference = ompls_reference_to(entry);
        if (!entry->owned || ompls_release(&reference, OMPLS_DROP_ANY) != OMPLS_LAST) continue;
        failed |= ompls_free_memory(device, entry, &err) != 0;
        ompls_table_remove(&device->table, entry);
    }
    pthread_mutex_unlock(&device->table.lock);
    failed |= ompls_place_globals(device, &err) != 0;
    return failed ? -1 : 0;
}

static int pause_device(ompls_device *device, int kind) {
    if (kind == PAUSE_SOFT || atomic_load(&device->status) != OMPLS_OPEN) return 0; /* what need not be kept is not held */
    return release_all(device);
}

static bool pauses(int kind) {
    return kind == PAUSE_SOFT || kind == PAUSE_HARD || kind == PAUSE_STOP_TOOL;
}

/* libgomp does not know stop_tool: what stops a tool stops everything. */
static int known_to_libgomp(int kind) {
    return kind == PAUSE_SOFT ? PAUSE_SOFT : PAUSE_HARD;
}

/* libgomp has no other device. */
static int pause_host(int kind) {
    return __real_omp_pause_resource_all != NULL ? __real_omp_pause_resource_all(known_to_libgomp(kind)) : -1;
}

int __wrap_omp_pause_resource(int kind, int number) {
    if (!pauses(kind)) return -1;
    if (number == OMPLS_DEVICE_INITIAL || number == ompls_device_count()) return pause_host(kind);
    ompls_device *device = ompls_device_at(number);
    return device == NULL ? -1 : pause_device(device, kind);
}

int __wrap_omp_pause_resource_all(int kind) {
    if (!pauses(kind)) return -1;
    int failed = pause_host(kind);
    for (int i = 0; i < ompls_device_count(); i++) failed |= pause_device(ompls_device_at(i), kind);
    return failed;
}

/* --- unique identifiers (OpenMP 6.0 section 24) --------------------------------------------------------------------------- */

static const char initial_device[] = "host";

const char *__wrap_omp_get_uid_from_device(int number) {
    if (number == OMPLS_DEVICE_INITIAL || number == ompls_device_count()) return initial_device;
    ompls_device *device = ompls_device_at(number);
    return device != NULL ? device->name : NULL;
}

int __wrap_omp_get_device_from_uid(const char *uid) {
    if (uid == NULL) return INVALID_DEVICE;
    if (strcmp(uid, initial_device) == 0) return ompls_device_count();
    for (int i = 0; i < ompls_device_count(); i++)
        if (strcmp(ompls_device_at(i)->name, uid) == 0) return i;
    return INVALID_DEVICE;
}

/* --- the settings in force (OpenMP 6.0 section 4.1, OMP_DISPLAY_ENV) ------------------------------------------------------- */

static void show(const char *variable, const char *otherwise) {
    const char *value = getenv(variable);
    if (value == NULL) value = otherwise;
    if (value != NULL) fprintf(stderr, "  [host] %s = '%s'\n", variable, value);
}

/* After libgomp's, ours: it knows neither the devices nor what OpenMP 6.0 added. */
static void display(ompls_device *const *devices, int count, bool verbose) {
    static const char *const rest[] = {"OMPLS_INFO", "OMPLS_TRACE", "OMPLS_TRACE_VALUES", "OMPLS_CHECK", "OMPLS_CUDASIM_CORES", "OMPLS_CUDASIM_MEMORY"};
    fprintf(stderr, "\nOMPLS DISPLAY ENVIRONMENT BEGIN\n");
    show("OMP_AVAILABLE_DEVICES", "*");
    show("OMPLS_DEVICES", verbose ? "" : NULL);
    for (int i = 0; i < count; i++) fprintf(stderr, "  [device %d] uid = '%s'\n", i, devices[i]->name);
    for (size_t i = 0; verbose && i < sizeof rest / sizeof *rest; i++) show(rest[i], "");
    fprintf(stderr, "OMPLS DISPLAY ENVIRONMENT END\n");
}

void __wrap_omp_display_env(int verbose) {
    if (__real_omp_display_env != NULL) __real_omp_display_env(verbose);
    ompls_device *devices[OMPLS_MAX_DEVICES];
    int count = ompls_device_count();
    for (int i = 0; i < count; i++) devices[i] = ompls_device_at(i);
    display(devices, count, verbose != 0);
}

void ompls_display_at_start(ompls_device *const *devices, int count) {
    const char *text = getenv("OMP_DISPLAY_ENV");
    if (text == NULL) return;
    bool verbose = strcasecmp(text, "verbose") == 0;
    if (verbose || strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0) display(devices, count, verbose);
}

OMPLS_ALSO_AS(omp_get_uid_from_device);
OMPLS_ALSO_AS(omp_get_device_from_uid);
