/* devices.c -- the device table: which devices there are, in which order, and their opening at first use.

   OMPLS_DEVICES is a comma list of modules with an optional number of devices ("cudasim,host:2"); without it every module
   that is linked in contributes what it has, in the order in which the link named them.  A device that cannot be opened is no error unless
   OMP_TARGET_OFFLOAD says mandatory: its regions then run on the initial device (OpenMP 5.2 section 21.2.9), after one
   warning. */
#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_MODULES = 32, MAX_DEVICES = OMPLS_MAX_DEVICES };

static ompls_module *modules[MAX_MODULES];
static int nmodules;
static ompls_device *devices[MAX_DEVICES];
static int ndevices;
static int policy = OMPLS_OFFLOAD_DEFAULT;
static bool ending;   /* the program's exit handlers run */
static pthread_t closer; /* on this thread */
static const char *ended_by; /* why devices are closed, as long as the program goes on */
static bool in_child; /* of fork */
static _Atomic bool discovered;

int __real_omp_get_default_device(void);

/* The first function that a module should have and has not; of the others device.h says what it means. */
static const char *missing_function(const ompls_module *m) {
    const struct {
        const char *name;
        bool there;
    } needed[] = {
        {"probe", m->probe != NULL}, {"open", m->open != NULL}, {"close", m->close != NULL}, {"properties", m->properties != NULL},
        {"alloc", m->alloc != NULL}, {"free", m->free != NULL}, {"copy_in", m->copy_in != NULL}, {"copy_out", m->copy_out != NULL},
        {"copy_within", m->copy_within != NULL}, {"load", m->load != NULL}, {"find_kernel", m->find_kernel != NULL},
        {"find_symbol", m->find_symbol != NULL}, {"launch", m->launch != NULL}, {"synchronize", m->synchronize != NULL},
        {"attach", m->attach != NULL}, {"take_back", m->lend == NULL || m->take_back != NULL},
    };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!needed[i].there) return needed[i].name;
    int ahead = (m->start_in != NULL) + (m->start_out != NULL) + (m->mark != NULL) + (m->follow != NULL);
    if (ahead != 0 && ahead != 4) return "start_in, start_out, mark and follow, of which it has some";
    int sends = (m->ready != NULL) + (m->send != NULL) + (m->receive != NULL);
    return sends == 0 || (sends == 3 && ahead == 4) ? NULL : "ready, send and receive, of which it has some, or start_in";
}

void ompls_register_module(ompls_module *module) {
    if (module->abi != OMPLS_MODULE_ABI) {
        ompls_warn("device module '%s' was built for another runtime (ABI %u, not %u) and is left out", module->name, module->abi,
                   OMPLS_MODULE_ABI);
        return;
    }
    const char *missing = missing_function(module);
    if (missing != NULL) {
        ompls_warn("device module '%s' has no function %s (see device.h) and is left out", module->name, missing);
        return;
    }
    if (nmodules < MAX_MODULES) modules[nmodules++] = module;
}

static const char *linked_for = "";

void ompls_linked_for(const char *names) {
    linked_for = names;
}

/* Modules in C register before those in Python, these in an order of their own; the user wrote another one. */
static void order_as_linked(void) {
    int done = 0;
    for (const char *at = linked_for; *at != '\0'; at += strcspn(at, ","), at += *at == ',') {
        size_t length = strcspn(at, ",");
        for (int i = done; i < nmodules; i++) {
            ompls_module *module = modules[i];
            if (strncmp(module->name, at, length) != 0 || module->name[length] != '\0') continue;
            memmove(modules + done + 1, modules + done, (size_t)(i - done) * sizeof *modules);
            modules[done++] = module;
            break;
        }
    }
}

/* What a list names twice adds up: "host,host:2" are three different devices. */
static void add_devices(ompls_module *module, int wanted, bool asked) {
    ompls_error err = {0};
    int before = 0;
    for (int i = 0; i < ndevices; i++) before += devices[i]->module == module;
    if (before > 0 && wanted == 0) wanted = 1;
    int there = module->probe(module, wanted > 0 ? before + wanted : 0, &err) - before;
    if (there <= 0 && before == 0) {
        if (asked || err.fatal != 0) /* who is not asked for may be absent, but not broken */
            ompls_warn("device '%s' is not available: %s%s%s", module->name, err.reason, err.hint[0] != '\0' ? "; " : "", err.hint);
        return;
    }
    if (wanted > 0 && there < wanted)
        ompls_warn("only %d of %d '%s' devices are available", before + (there > 0 ? there : 0), before + wanted, module->name);
    if (wanted > 0 && there > wanted) there = wanted;
    for (int i = 0; i < there && ndevices < MAX_DEVICES; i++) {
        ompls_device *device = calloc(1, sizeof *device);
        if (device == NULL) return;
        device->number = ndevices;
        device->index = before + i;
        device->module = module;
        snprintf(device->name, sizeof device->name, "%s:%d", module->name, before + i);
        pthread_mutex_init(&device->opening, NULL);
        ompls_table_init(&device->table);
        devices[ndevices++] = device;
    }
}

static void add_name(char *names, size_t room, const char *name, size_t length) {
    size_t used = strlen(names);
    snprintf(names + used, room - used, "%s%.*s", used > 0 ? ", " : "", (int)length, name);
}

static bool is_linked(const char *name, size_t length) {
    for (const char *at = linked_for; *at != '\0'; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && strncmp(at, name, length) == 0) return true;
    return false;
}

/* Devices in Python are no modules when nobody wants them, but the program has them. */
static _Noreturn void no_device(const char *name, size_t length) {
    char known[512] = "", next[128] = "build it with that device or choose another";
    for (int i = 0; i < nmodules; i++) add_name(known, sizeof known, modules[i]->name, strlen(modules[i]->name));
    size_t size = 0;
    if (is_linked(name, length)) snprintf(next, sizeof next, "the warning before this says why; or choose another");
    else {
        if (*linked_for != '\0') known[0] = '\0';
        for (const char *at = linked_for; *at != '\0'; at += size, at += *at == ',') add_name(known, sizeof known, at, size = strcspn(at, ","));
        const char *meant = ompls_meant(name, length, known, &size);
        if (meant != NULL) snprintf(next, sizeof next, "did you mean '%.*s'?", (int)size, meant);
    }
    ompls_fail((ompls_place){0}, next, "OMPLS_DEVICES: this program has no device '%.*s' that can be used (it has: %s)", (int)length, name,
               known[0] != '\0' ? known : "none");
}

static void add_named(const char *name, size_t length, int wanted) {
    for (int i = 0; i < nmodules; i++) {
        if (strncmp(modules[i]->name, name, length) == 0 && modules[i]->name[length] == '\0') {
            add_devices(modules[i], wanted, true);
            return;
        }
    }
    no_device(name, length);
}

static void read_list(const char *list) {
    while (*list != '\0') {
        size_t item = strcspn(list, ","), name = strcspn(list, ",:");
        int wanted = 0;
        if (name < item) {
            char *end;
            long number = strtol(list + name + 1, &end, 10);
            if (end == list + item && number > MAX_DEVICES)
                ompls_fail((ompls_place){0}, "ask for fewer", "OMPLS_DEVICES: a program has %d devices at most, not %.*s", MAX_DEVICES,
                           (int)(item - name - 1), list + name + 1);
            if (end != list + item || number < 1)
                ompls_fail((ompls_place){0}, "write NAME or NAME:NUMBER", "OMPLS_DEVICES: '%.*s' is not a number of devices",
                           (int)(item - name - 1), list + name + 1);
            wanted = (int)number;
        }
        if (name > 0) add_named(list, name, wanted);
        list += item + (list[item] == ',');
    }
}

/* In a child of fork the devices are its parent's: it must neither use nor close them.  Its regions run on the host. */
static void forked(void) {
    in_child = true;
    for (int i = 0; i < ndevices; i++) atomic_store(&devices[i]->status, OMPLS_UNAVAILABLE);
}

static void discover(void) {
    pthread_atfork(NULL, NULL, forked);
    const char *offload = getenv("OMP_TARGET_OFFLOAD"), *list = getenv("OMPLS_DEVICES");
    if (offload != NULL && strcasecmp(offload, "mandatory") == 0) policy = OMPLS_OFFLOAD_MANDATORY;
    else if (offload != NULL && strcasecmp(offload, "disabled") == 0) policy = OMPLS_OFFLOAD_DISABLED;
    if (policy == OMPLS_OFFLOAD_DISABLED) return;
    order_as_linked(); /* in messages, too */
    if (list != NULL && *list != '\0') read_list(list);
    else
        for (int i = 0; i < nmodules; i++) add_devices(modules[i], 0, false);
    ndevices = ompls_choose_available(devices, ndevices);
    ompls_display_at_start(devices, ndevices);
    if (ndevices > 0) ompls_tools_start(ndevices);
}

static void discover_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, discover);
    atomic_store_explicit(&discovered, true, memory_order_release);
}

static inline int device_count(void) {
    if (OMPLS_UNLIKELY(!atomic_load_explicit(&discovered, memory_order_acquire))) discover_once();
    return ndevices;
}

int ompls_device_count(void) {
    return device_count();
}

int ompls_offload_policy(void) {
    device_count();
    return policy;
}

ompls_device *ompls_device_at(int number) {
    return number >= 0 && number < ompls_device_count() ? devices[number] : NULL;
}

/* Data constructs and the API need no image. */
static bool load_image(ompls_device *device, ompls_error *err) {
    ompls_module *module = device->module;
    ompls_image image;
    return !ompls_find_image(module->image_class, &image) || module->load(device->handle, image.start, image.size, &device->loaded, err) == 0;
}

static bool place_globals(ompls_device *device, ompls_error *err) {
    ompls_image image;
    return !ompls_find_image(device->module->image_class, &image) || ompls_place_globals(device, err) == 0;
}

/* The device's properties.  False when it is not one for this machine. */
static bool learn_properties(ompls_device *device, ompls_error *err) {
    if (device->module->properties(device->handle, &device->properties, err) != 0) return false;
    if ((device->properties.big_endian != 0) == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)) return true;
    *err = (ompls_error){.reason = "its byte order is not this machine's, and data are copied as they are", .hint = "use another device"};
    return false;
}

/* What a unit requires (OpenMP 5.2 section 8.2), or the device is not one for this program. */
static bool meet_requirements(ompls_device *device, ompls_error *err) {
    if (!ompls_shared_memory || device->properties.shares_host_memory) return true;
    if (device->module->share_host_memory == NULL) {
        *err = (ompls_error){.reason = "the program requires unified_shared_memory, and the device cannot use the host's memory",
                             .hint = "map what the regions use"};
        return false;
    }
    if (device->module->share_host_memory(device->handle, err) != 0) return false;
    device->properties.shares_host_memory = 1;
    return true;
}

/* With `opening` held. */
static void open_device(ompls_device *device, const ompls_region *region) {
    ompls_error err = {0};
    ompls_module *module = device->module;
    uint64_t began = ompls_observing ? ompls_now() : 0;
    bool opened = module->open(module, device->index, &device->handle, &err) == 0;
    if (opened && load_image(device, &err) && learn_properties(device, &err) && place_globals(device, &err) &&
        meet_requirements(device, &err)) {
        ompls_watch(device);
        atomic_store_explicit(&device->status, OMPLS_OPEN, memory_order_release);
        ompls_image image;
        if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_device(device, ompls_find_image(module->image_class, &image) ? &image : NULL);
        if (OMPLS_UNLIKELY(ompls_observing))
            ompls_observe(&(ompls_event){.kind = "device_open", .at = {device, region}, .began = began, .text = device->properties.name});
        return;
    }
    if (policy == OMPLS_OFFLOAD_MANDATORY) ompls_fail_module((ompls_place){device, region}, "the device cannot be opened", &err);
    ompls_warn("device %s cannot be opened: %s%s%s (its regions run on the host)", device->name, err.reason,
               err.hint[0] != '\0' ? "; " : "", err.hint);
    ompls_tell_detail(err.detail);
    if (opened) module->close(device->handle);
    atomic_store_explicit(&device->status, OMPLS_UNAVAILABLE, memory_order_release);
}

/* Once: it may be said in a loop.  Routines say it themselves, by what they return; and where there are no devices at all the
   program is as it would be without us. */
static void warn_number(const ompls_region *region, int64_t number, bool by_default) {
    static _Atomic int warned;
    if (region == NULL || ndevices == 0 || atomic_exchange(&warned, 1) != 0) return;
    ompls_warn("%s:%u: there is no device %lld%s: the program has %d, from 0 on (the construct is the host's)", region->file, region->line,
               (long long)number, by_default ? ", the default device" : "", ndevices);
}

/* Once: what is mapped there is out of reach, and the host's values may be old. */
static void warn_left_behind(const ompls_device *device, const ompls_region *region) {
    static _Atomic int warned;
    bool by_program = !ending && !in_child && atomic_load(&device->status) == OMPLS_ENDED;
    if (!ending && !in_child && !by_program) return; /* it could not be opened, which has been told */
    if (region == NULL || (atomic_load(&device->table.count) == 0 && !by_program) || atomic_exchange(&warned, 1) != 0) return;
    ompls_warn("%s:%u: %s (the construct is the host's, and so are its values)", region->file, region->line,
               ending ? "the devices are closed already" : by_program ? ended_by : "a child of fork has no devices: what is mapped stays with its parent");
}

/* libgomp of gcc 13 and later has no default device when offload is mandatory and it has no devices itself; but the program
   has ours.  Unless the program has said so. */
static _Atomic int none_is_default;

static inline int default_device(void) {
    enum { INVALID = -4 }; /* omp_invalid_device of <omp.h> */
    int number = __real_omp_get_default_device();
    return OMPLS_UNLIKELY(number == INVALID) && !none_is_default && device_count() > 0 ? 0 : number;
}

int ompls_default_device(void) {
    return default_device();
}

void ompls_default_device_is_said(void) {
    none_is_default = 1;
}

/* The construct is the initial device's, or the device has to be opened first. */
__attribute__((noinline)) static ompls_device *resolve_slowly(const ompls_region *region, int64_t number, bool by_default) {
    int count = device_count();
    if (number == count && !(count == 0 && policy == OMPLS_OFFLOAD_MANDATORY)) return NULL;
    if (number < 0 || number >= count) {
        if (policy == OMPLS_OFFLOAD_MANDATORY)
            ompls_fail((ompls_place){.region = region}, "see OMPLS_DEVICES and `ompls devices`",
                       "OMP_TARGET_OFFLOAD is mandatory, but there is no device %lld: the program has %d", (long long)number, count);
        warn_number(region, number, by_default);
        return NULL;
    }
    ompls_device *device = devices[number];
    int status = atomic_load_explicit(&device->status, memory_order_acquire);
    if (status == OMPLS_CLOSED) {
        pthread_mutex_lock(&device->opening);
        if (atomic_load(&device->status) == OMPLS_CLOSED) open_device(device, region);
        status = atomic_load(&device->status);
        pthread_mutex_unlock(&device->opening);
    }
    if (status == OMPLS_OPEN) return device;
    if (policy == OMPLS_OFFLOAD_MANDATORY && !ending)
        ompls_fail((ompls_place){device, region}, in_child ? "use devices in the process that opened them" : "use it before that",
                   "OMP_TARGET_OFFLOAD is mandatory, but %s", in_child ? "a child of fork has no devices" : ended_by);
    warn_left_behind(device, region);
    return NULL;
}

ompls_device *ompls_resolve(const ompls_region *region, int64_t number) {
    if (number == OMPLS_DEVICE_INITIAL) return NULL;
    bool by_default = number == OMPLS_DEVICE_DEFAULT || number == OMPLS_OMP_DEFAULT_DEVICE;
    if (by_default) number = default_device();
    if (OMPLS_LIKELY(number >= 0 && number < device_count())) {
        ompls_device *device = devices[number];
        if (OMPLS_LIKELY(atomic_load_explicit(&device->status, memory_order_acquire) == OMPLS_OPEN)) return device;
    }
    return resolve_slowly(region, number, by_default);
}

bool ompls_closed_by_another(const ompls_device *device) {
    return atomic_load(&device->status) == OMPLS_ENDED && !pthread_equal(closer, pthread_self());
}

static void close_device(ompls_device *device) {
    if (OMPLS_UNLIKELY(ompls_observing)) ompls_observe(&(ompls_event){.kind = "locks", .at = {.device = device}, .locks = &device->table});
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_device_gone(device);
    device->module->close(device->handle);
}

/* At the end of the program.  After an error nothing is closed: another thread may be in the middle of a call, and a
   device process ends with its host. */
void ompls_close_devices(void) {
    ompls_workers_finish();
    closer = pthread_self();
    ending = true;
    for (int i = 0; i < ndevices && !atomic_load(&ompls_failing); i++) {
        ompls_device *device = devices[i];
        if (atomic_exchange(&device->status, OMPLS_ENDED) == OMPLS_OPEN) close_device(device);
    }
}

void ompls_close_module(const char *name, const char *why) {
    ompls_taskwait();
    closer = pthread_self();
    ended_by = why;
    for (int i = 0; i < ndevices && !atomic_load(&ompls_failing); i++) {
        int open = OMPLS_OPEN;
        if (strcmp(devices[i]->module->name, name) == 0 && atomic_compare_exchange_strong(&devices[i]->status, &open, OMPLS_ENDED))
            close_device(devices[i]);
    }
}

/* What a Python module is made of (the interpreter's extension modules, a driver) has exit handlers, too, from when it was
   loaded: devices are closed before those run, and after the program's own handlers. */
void ompls_close_before_exit(void) {
    static bool registered;
    if (!registered) registered = atexit(ompls_close_devices) == 0;
}

__attribute__((destructor)) static void program_ends(void) {
    ompls_close_devices();
    ompls_tools_finish();
    ompls_trace_finish();
}
