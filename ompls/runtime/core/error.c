/* error.c -- how the core ends a program: one line `FILE:LINE: region on DEV: WHAT: WHY; NEXT STEP`, exit code 125.

   A device that was touched where it has no memory reports an address; here it is matched with what the region was given,
   so that the message names the variable. */
#define _GNU_SOURCE
#include "core.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

_Atomic int ompls_failing;

static void dump_table(ompls_device *device) {
    if (device == NULL || atomic_load(&device->status) != OMPLS_OPEN) return;
    uint32_t count = atomic_load(&device->table.count);
    fprintf(stderr, "ompls: present on %s: %u list items\n", device->name, count);
    for (uint32_t i = 0; i < count; i++) {
        ompls_entry *entry = ompls_table_entry(&device->table, i);
        uintptr_t begin = atomic_load(&entry->begin), end = atomic_load(&entry->end);
        fprintf(stderr, "ompls:   %#" PRIxPTR " %12" PRIuPTR " bytes -> %#" PRIx64 "  count %" PRId64 "  %s\n", begin, end - begin,
                atomic_load(&entry->device), ompls_entry_count(entry), entry->name);
    }
}

/* Also called by a signal's handler.  The system's call ends this thread alone, and unwinds nothing: whoever joins it goes on. */
void ompls_speak_first(void) {
    static _Thread_local bool failing;
    if (failing) _exit(OMPLS_EXIT_CODE);
    failing = true;
    while (atomic_exchange(&ompls_failing, 1) != 0) syscall(SYS_exit, 0);
}

/* The last that the program does: an exit handler may have called exit() with another code. */
static __attribute__((destructor(101))) void keep_code(void) {
    if (!atomic_load(&ompls_failing)) return;
    fflush(NULL);
    _exit(OMPLS_EXIT_CODE);
}

/* Who fails because the program ends, and the device was closed under it, waits for the end, but not for ever: an exit handler may
   wait for the thread. */
static void begin_failure(ompls_place at) {
    enum { PATIENCE = 30 };
    if (at.device != NULL && ompls_closed_by_another(at.device)) sleep(PATIENCE);
    ompls_speak_first();
    fflush(stdout);
    if (at.region != NULL) fprintf(stderr, "%s:%u: region", at.region->file, at.region->line);
    else fprintf(stderr, "ompls: error");
    if (at.device == NULL) return;
    const char *machine = at.device->properties.machine;
    fprintf(stderr, " on %s%s%s%s", at.device->name, machine[0] != '\0' ? " (" : "", machine, machine[0] != '\0' ? ")" : "");
}

static _Noreturn void finish_failure(ompls_place at, const char *message) {
    if (ompls_info & OMPLS_INFO_DUMP) dump_table(at.device);
    if (OMPLS_UNLIKELY(ompls_observing)) ompls_observe(&(ompls_event){.kind = "error", .at = at, .text = message});
    exit(OMPLS_EXIT_CODE);
}

static _Noreturn void fail(ompls_place at, const char *next, const char *message, const char *detail) {
    begin_failure(at);
    fprintf(stderr, ": %s%s%s\n", message, next != NULL ? "; " : "", next != NULL ? next : "");
    ompls_tell_detail(detail);
    finish_failure(at, message);
}

void ompls_fail(ompls_place at, const char *next, const char *format, ...) {
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fail(at, next, message, NULL);
}

void ompls_tell_detail(const char *detail) {
    for (size_t length; detail != NULL && *detail != '\0'; detail += length + (detail[length] != '\0')) {
        length = strcspn(detail, "\n");
        fprintf(stderr, "    %.*s\n", (int)length, detail);
    }
}

/* The thread whose call lost the device knows why: it speaks first. */
static void let_the_first_speak(ompls_place at, const ompls_error *err) {
    const struct timespec moment = {.tv_nsec = 1000000};
    if (OMPLS_LIKELY(err->fatal != OMPLS_LOST_BEFORE)) return;
    if (at.device != NULL) ompls_receive_begun(at.device); /* a region that nobody has waited for may have lost it */
    for (int i = 0; i < 500 && !atomic_load(&ompls_failing); i++) nanosleep(&moment, NULL);
}

void ompls_fail_module(ompls_place at, const char *what, const ompls_error *err) {
    let_the_first_speak(at, err);
    char message[1024];
    snprintf(message, sizeof message, "%s: %s", what, err->reason[0] != '\0' ? err->reason : "the device gave no reason");
    fail(at, err->hint[0] != '\0' ? err->hint : NULL, message, err->detail);
}

/* What holds the device's memory: the largest list items, then the rest as one number. */
static void tell_holders(ompls_device *device, char *out, size_t size) {
    enum { SHOWN = 4 };
    ompls_entry *largest[SHOWN] = {NULL};
    uint64_t all = 0, bytes[SHOWN] = {0};
    pthread_mutex_lock(&device->table.lock);
    uint32_t count = atomic_load(&device->table.count), shown = count < SHOWN ? count : SHOWN;
    for (uint32_t i = 0; i < count; i++) {
        ompls_entry *entry = ompls_table_entry(&device->table, i);
        uint64_t mine = atomic_load(&entry->end) - atomic_load(&entry->begin);
        all += mine;
        for (uint32_t k = 0; k < shown; k++) {
            if (largest[k] != NULL && bytes[k] >= mine) continue;
            memmove(&largest[k + 1], &largest[k], (shown - k - 1) * sizeof *largest);
            memmove(&bytes[k + 1], &bytes[k], (shown - k - 1) * sizeof *bytes);
            largest[k] = entry;
            bytes[k] = mine;
            break;
        }
    }
    size_t used = (size_t)snprintf(out, size, count == 0 ? "; nothing is mapped" : "; mapped now: ");
    for (uint32_t k = 0; k < shown && used < size; k++) {
        all -= bytes[k];
        used += (size_t)snprintf(out + used, size - used, "%s'%s' %" PRIu64 " bytes", k > 0 ? ", " : "", largest[k]->name, bytes[k]);
    }
    if (count > shown && used < size) snprintf(out + used, size - used, ", %u others %" PRIu64 " bytes", count - shown, all);
    pthread_mutex_unlock(&device->table.lock);
}

void ompls_fail_memory(ompls_place at, const char *what, const ompls_error *err) {
    char holders[400];
    tell_holders(at.device, holders, sizeof holders);
    ompls_fail(at, err->hint[0] != '\0' ? err->hint : NULL, "%s: %s%s", what, err->reason, holders);
}

void ompls_warn(const char *format, ...) {
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fprintf(stderr, "ompls: warning: %s\n", message);
}

/* --- whose address is it? ----------------------------------------------------------------------------------------- */

typedef struct {
    char text[256];
    uint64_t distance; /* of the address from the variable */
    const char *name;
} culprit;

static void consider(culprit *best, uint64_t address, uint64_t base, const char *name, const char *what) {
    if (base == 0 || base > address || address - base >= best->distance) return;
    best->distance = address - base;
    best->name = name;
    snprintf(best->text, sizeof best->text, "variable '%s', %s", name, what);
}

/* Whether `item` is a section of what `pointer` points to: "a[10:50]" of "a". */
static bool is_section_of(const char *item, const char *pointer) {
    size_t length = pointer != NULL ? strlen(pointer) : 0;
    return length > 0 && strncmp(item, pointer, length) == 0 && item[length] == '[';
}

/* Past the end of something mapped, or a host address that is mapped but was not translated (a pointer in a struct). */
static void consider_mapped(culprit *best, ompls_device *device, uint64_t address) {
    enum { NEAR = 1 << 24 };
    const culprit param = *best;
    pthread_mutex_lock(&device->table.lock);
    uint32_t count = atomic_load(&device->table.count);
    for (uint32_t i = 0; i < count; i++) {
        ompls_entry *entry = ompls_table_entry(&device->table, i);
        uint64_t begin = atomic_load(&entry->begin), size = atomic_load(&entry->end) - begin, there = atomic_load(&entry->device);
        char what[160];
        if (address - begin < size && address - begin < param.distance && is_section_of(entry->name, param.name)) {
            snprintf(what, sizeof what, "mapped, but '%.60s' points before it, and so kept its host address: list it on the construct, too", param.name);
            consider(best, address, begin, entry->name, what);
        } else if (address - begin < size) {
            snprintf(what, sizeof what, "mapped, but this is its host address: the pointer to it was not attached");
            consider(best, address, begin, entry->name, what);
        } else if (address - there < size + NEAR && address >= there) {
            bool inside = address - there < size; /* between parts */
            uint64_t gap = inside ? 0 : address - there - size; /* not from where it begins: a neighbour is nearer to that */
            if (inside) snprintf(what, sizeof what, "%" PRIu64 " bytes from its begin, in no list item", address - there);
            else snprintf(what, sizeof what, "%" PRIu64 " bytes past the %" PRIu64 " bytes that are mapped", gap, size);
            consider(best, address, address - gap, entry->name, what);
        } else if (there - address < NEAR && there > address) {
            if (best->distance <= there - address) continue;
            best->distance = there - address;
            snprintf(best->text, sizeof best->text, "variable '%s', %" PRIu64 " bytes before what is mapped", entry->name, there - address);
        }
    }
    pthread_mutex_unlock(&device->table.lock);
}

void ompls_name_null(const ompls_region *region, const ompls_arg *args, const void *const *values, char *out, size_t size) {
    const char *name = NULL;
    out[0] = '\0';
    for (uint32_t i = 0; i < region->nparams; i++) {
        const ompls_param_desc *param = &region->params[i];
        uintptr_t value = 1;
        if (ompls_is_address(param)) value = (uintptr_t)args[param->index].base;
        else if (param->kind == OMPLS_PARAM_POINTER) memcpy(&value, values[param->index], sizeof value);
        if (value != 0) continue;
        if (name != NULL) return;
        name = param->name;
    }
    if (name != NULL) snprintf(out, size, ": '%.100s'", name);
}

/* Nobody waits here: what goes back behind the kernel is on its way for ever. */
static bool is_mapped(ompls_device *device, const ompls_arg *arg) {
    ompls_reference reference;
    ompls_entry *overlapping;
    bool found = ompls_shared_memory;
    uintptr_t begin = (uintptr_t)arg->begin;
    ompls_table_lock(&device->table);
    if (!found && !ompls_table_look(&device->table, begin, begin + (arg->size != 0 ? arg->size : 1), &overlapping, &reference, &found))
        found = true;
    pthread_mutex_unlock(&device->table.lock);
    return found;
}

void ompls_fail_launch(ompls_place at, const ompls_arg *args, const void *const *values, const ompls_error *err) {
    if (err->fault == 0) ompls_fail_module(at, "the kernel failed", err);
    let_the_first_speak(at, err);
    culprit best = {.distance = (uint64_t)1 << 40};
    uint64_t address = err->fault_address;
    const ompls_region *region = at.region;
    for (uint32_t i = 0; i < region->nparams && address >= 4096; i++) {
        const ompls_param_desc *param = &region->params[i];
        uint64_t value = 0;
        if (ompls_is_address(param)) {
            const ompls_arg *arg = &args[param->index];
            if (!is_mapped(at.device, arg)) value = (uintptr_t)arg->base;
        } else if (param->kind == OMPLS_PARAM_POINTER) {
            uintptr_t pointer;
            memcpy(&pointer, values[param->index], sizeof pointer);
            value = pointer;
        }
        consider(&best, address, value, param->name, "not mapped");
    }
    if (address >= 4096) consider_mapped(&best, at.device, address);
    const char *verb = err->fault == 2 ? "wrote" : "read";
    char message[512], null[128];
    ompls_name_null(region, args, values, null, sizeof null);
    if (address < 4096)
        snprintf(message, sizeof message, "%s address %#" PRIx64 " (a null pointer%s)", verb, address, null);
    else if (best.text[0] == '\0')
        snprintf(message, sizeof message, "%s host address %#" PRIx64 " (of no variable of the region)", verb, address);
    else
        snprintf(message, sizeof message, "%s %s address %#" PRIx64 " (%s)", verb,
                 strstr(best.text, " bytes ") != NULL ? "device" : "host", address, best.text);
    /* The fault may be in a header's function.  Devices know names without directories. */
    const char *slash = strrchr(region->file, '/'), *name = slash != NULL ? slash + 1 : region->file;
    ompls_region where = *region;
    where.line = err->fault_line != 0 ? err->fault_line : region->line;
    if (err->fault_line != 0 && err->fault_file[0] != '\0' && strcmp(err->fault_file, name) != 0) where.file = err->fault_file;
    begin_failure((ompls_place){at.device, &where});
    fprintf(stderr, " %s, in kernel %s of the region at %s:%u\n", message, region->kernel, region->file, region->line);
    finish_failure(at, message);
}

/* --- what checks find ---------------------------------------------------------------------------------------------- */

static ompls_device *device_with(const void *handle) {
    for (int i = 0; i < ompls_device_count(); i++)
        if (ompls_device_at(i)->handle == handle) return ompls_device_at(i);
    return NULL;
}

/* "'x[0:8]' (byte 12)", or the bare address. */
static void name_address(ompls_device *device, ompls_address address, char *out, size_t size) {
    snprintf(out, size, "device address %#" PRIx64, address);
    if (device == NULL) return;
    pthread_mutex_lock(&device->table.lock);
    uint32_t count = atomic_load(&device->table.count);
    for (uint32_t i = 0; i < count; i++) {
        ompls_entry *entry = ompls_table_entry(&device->table, i);
        uint64_t bytes = atomic_load(&entry->end) - atomic_load(&entry->begin), at = address - atomic_load(&entry->device);
        if (at < bytes) snprintf(out, size, "'%s' (byte %" PRIu64 ")", entry->name, at);
    }
    pthread_mutex_unlock(&device->table.lock);
}

/* One line on stderr; the file that OMPLS_CHECK_RESULT names gets the check's name, for who started the program. */
void ompls_report_finding(void *handle, const ompls_finding *finding) {
    ompls_device *device = device_with(handle);
    char variable[256];
    if (finding->variable[0] != '\0') snprintf(variable, sizeof variable, "'%s'", finding->variable);
    else name_address(device, finding->address, variable, sizeof variable);
    const char *slash = strrchr(finding->region_file, '/'), *name = slash != NULL ? slash + 1 : finding->region_file;
    bool elsewhere = finding->file[0] != '\0' && strcmp(finding->file, name) != 0;
    fflush(stdout);
    fprintf(stderr, "%s:%u: region on %s: %s: %s %s: %s; %s [%s] (kernel %s of the region at %s:%u)\n",
            elsewhere ? finding->file : finding->region_file, finding->line != 0 ? finding->line : finding->region_line,
            device != NULL ? device->name : "?", finding->advice ? "hint" : "error", finding->kind, variable, finding->what,
            finding->next, finding->check, finding->kernel, finding->region_file, finding->region_line);
    const char *result = getenv("OMPLS_CHECK_RESULT");
    FILE *file = result != NULL && !finding->advice ? fopen(result, "ae") : NULL;
    if (file == NULL) return;
    fprintf(file, "%s\n", finding->check);
    fclose(file);
}
