/* globals.c -- what the translated units and the link step announce: images, units and their `declare target` variables.

   A `declare target` variable lives once per device, in memory of the core; every image reaches it through a pointer
   variable of its own (`symbol`).  A device that is opened late must still see the initial value, so that is saved when the
   unit registers, before `main`; a variable that is all zero bytes needs no copy. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    ompls_global what;
    void *initial; /* 0: zero bytes */
} global;

static global *globals;
static uint32_t nglobals, nlinks; /* how many of them are `link` */
/* A pointer in a `declare target` variable, the address in it when the program started, and one in what that belongs to. */
typedef struct {
    uintptr_t place, value, within;
} pointer;

static pointer *pointers;
static uint32_t npointers;
bool ompls_shared_memory;
static const ompls_unit **units;
static uint32_t nunits;
static ompls_image *images;
static uint32_t nimages;

static void *grow(void *list, uint32_t count, size_t size) {
    void *grown = realloc(list, (count + 1) * size);
    if (grown == NULL) ompls_fail((ompls_place){0}, NULL, "out of memory while the program starts");
    return grown;
}

void ompls_register_image(const ompls_image *image) {
    images = grow(images, nimages, sizeof *images);
    images[nimages++] = *image;
}

bool ompls_find_image(const char *image_class, ompls_image *out) {
    for (uint32_t i = 0; i < nimages; i++) {
        if (strcmp(images[i].device_class, image_class) == 0) {
            *out = images[i];
            return true;
        }
    }
    return false;
}

static bool all_zero(const unsigned char *bytes, uint64_t size) {
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/* How much alike two paths are from their ends: in twice as many names as they share, and one more where `path` is all of it. */
static unsigned alike(const char *path, const char *file) {
    unsigned shared = 0;
    const char *a = path + strlen(path), *b = file + strlen(file);
    for (; a > path && b > file && a[-1] == b[-1]; a--, b--) shared += a[-1] == '/' ? 2 : 0;
    if ((a == path || a[-1] == '/') && (b == file || b[-1] == '/')) shared += 2;
    return shared != 0 && a == path ? shared + 1 : shared;
}

const char *ompls_known_source(const char *file) {
    const char *found = file;
    unsigned most = 0;
    for (uint32_t i = 0; i < nunits; i++) {
        unsigned n = alike(units[i]->source, file);
        if (n > most) most = n, found = units[i]->source;
    }
    return found;
}

void ompls_register_unit(const ompls_unit *unit) {
    if (unit->abi != OMPLS_ABI)
        ompls_fail((ompls_place){0}, "translate it again", "%s was translated for another runtime (ABI %u, not %u)", unit->source, unit->abi, OMPLS_ABI);
    units = grow(units, nunits, sizeof *units);
    units[nunits++] = unit;
    if (unit->requires & OMPLS_REQUIRES_SHARED_MEMORY) ompls_shared_memory = true;
    for (uint32_t i = 0; i < unit->nglobals; i++) {
        globals = grow(globals, nglobals, sizeof *globals);
        global *entry = &globals[nglobals++];
        *entry = (global){unit->globals[i], NULL};
        nlinks += entry->what.link;
        if (entry->what.link || all_zero(entry->what.address, entry->what.size)) continue;
        entry->initial = malloc(entry->what.size);
        if (entry->initial == NULL) ompls_fail((ompls_place){0}, NULL, "no memory to save the initial value of '%s'", entry->what.name);
        memcpy(entry->initial, entry->what.address, entry->what.size);
    }
}

void ompls_register_pointers(const ompls_pointer *of, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uintptr_t value;
        memcpy(&value, of[i].place, sizeof value);
        if (value == 0) continue;
        pointers = grow(pointers, npointers, sizeof *pointers);
        pointers[npointers++] = (pointer){(uintptr_t)of[i].place, value, of[i].variable != NULL ? (uintptr_t)of[i].variable : value};
    }
}

/* False when no kernel uses it. */
static bool find_symbol(ompls_device *device, const char *symbol, ompls_address *where) {
    ompls_error none = {0};
    return device->loaded != NULL && device->module->find_symbol(device->handle, device->loaded, symbol, where, &none) == 0;
}

static int attach(ompls_device *device, ompls_address pointer, ompls_address target, ompls_error *err) {
    int failed = device->module->attach(device->handle, pointer, target, err);
    if (!failed && device->module->start_in != NULL) failed = device->module->synchronize(device->handle, err);
    return failed;
}

static int write_pointer(ompls_device *device, const char *symbol, ompls_address target, ompls_error *err) {
    ompls_address where;
    return find_symbol(device, symbol, &where) ? attach(device, where, target, err) : 0;
}

static int fill(ompls_device *device, const global *entry, ompls_address address, ompls_error *err) {
    ompls_module *module = device->module;
    if (entry->initial != NULL) return module->copy_in(device->handle, address, entry->initial, entry->what.size, err);
    static const char zeros[1 << 16];
    for (uint64_t done = 0; done < entry->what.size; done += sizeof zeros) {
        uint64_t left = entry->what.size - done, part = left < sizeof zeros ? left : sizeof zeros;
        if (module->copy_in(device->handle, address + done, zeros, part, err) != 0) return 1;
    }
    return 0;
}

void ompls_visit_globals(ompls_device *device, void (*visit)(void *visitor, const ompls_reference *variable), void *visitor) {
    for (uint32_t i = 0; i < nglobals; i++) {
        uintptr_t begin = (uintptr_t)globals[i].what.address;
        ompls_reference reference;
        ompls_entry *overlapping;
        if (globals[i].what.size == 0) continue;
        if (ompls_table_find(&device->table, begin, begin + globals[i].what.size, &overlapping, &reference) || overlapping != NULL)
            visit(visitor, &reference);
    }
}

/* The `declare target` variable in which `size` bytes at `address` lie; false: in none. */
static bool find_variable(ompls_device *device, uintptr_t address, uintptr_t size, ompls_reference *found) {
    ompls_entry *overlapping;
    pthread_mutex_lock(&device->table.lock);
    bool there = ompls_table_find(&device->table, address, address + size, &overlapping, found);
    pthread_mutex_unlock(&device->table.lock);
    return there;
}

static ompls_address address_in(const ompls_reference *variable, uintptr_t address) {
    return atomic_load(&variable->entry->device) + (address - atomic_load(&variable->entry->begin));
}

/* Whether the pointer at `pointer`, which has these bytes, leads to `target`: only the device knows what one looks like. */
static bool leads_to(ompls_device *device, ompls_address pointer, const void *bytes, ompls_address target) {
    const ompls_module *module = device->module;
    char made[sizeof(void *)];
    ompls_error err = {0};
    if (attach(device, pointer, target, &err) != 0 || module->copy_out(device->handle, made, pointer, sizeof made, &err) != 0) return false;
    return memcmp(made, bytes, sizeof made) == 0 || module->copy_in(device->handle, pointer, bytes, sizeof made, &err) != 0;
}

void ompls_restore_pointers(ompls_device *device, ompls_entry *entry, char *bytes) {
    uintptr_t begin = atomic_load(&entry->begin), end = atomic_load(&entry->end);
    for (uint32_t i = 0; i < npointers; i++) {
        if (pointers[i].place < begin || pointers[i].place + sizeof(void *) > end) continue;
        char *here = bytes + (pointers[i].place - begin);
        ompls_reference to;
        if (!find_variable(device, pointers[i].within, 1, &to)) continue;
        if (leads_to(device, atomic_load(&entry->device) + (pointers[i].place - begin), here, address_in(&to, pointers[i].value)))
            memcpy(here, &pointers[i].value, sizeof(void *));
    }
}

/* Pointers that begin with the address of another variable lead to the corresponding one.  Where pointers have another
   size, kernels that use such a variable were refused. */
static int lead_pointers(ompls_device *device, ompls_error *err) {
    bool alike = !ompls_shared_memory && ompls_pointer_bytes(device) == sizeof(void *);
    for (uint32_t i = 0; alike && i < npointers; i++) {
        const pointer *p = &pointers[i];
        ompls_reference holder, to;
        if (!find_variable(device, p->place, sizeof(void *), &holder) || !find_variable(device, p->within, 1, &to)) continue;
        if (attach(device, address_in(&holder, p->place), address_in(&to, p->value), err) != 0) return 1;
        ompls_let_follow(device, p->place, p->value, &to);
    }
    return 0;
}

/* Two units may announce one variable: it is placed once, and every symbol gets its address. */
int ompls_place_globals(ompls_device *device, ompls_error *err) {
    for (uint32_t i = 0; i < nglobals; i++) {
        const global *entry = &globals[i];
        bool empty = entry->what.size == 0 && ompls_pointer_bytes(device) == sizeof(void *); /* no memory: any address will do */
        if (ompls_shared_memory || (empty && !entry->what.link)) {
            if (write_pointer(device, entry->what.symbol, (uintptr_t)entry->what.address, err) != 0) return 1;
            continue;
        }
        if (entry->what.link || entry->what.size == 0) continue;
        uintptr_t begin = (uintptr_t)entry->what.address, end = begin + entry->what.size;
        ompls_reference reference;
        ompls_entry *overlapping;
        pthread_mutex_lock(&device->table.lock);
        bool there = ompls_table_find(&device->table, begin, end, &overlapping, &reference);
        ompls_address address = 0;
        int failed = 0;
        if (there) {
            address = address_in(&reference, begin);
        } else {
            failed = device->module->alloc(device->handle, entry->what.size, &address, err) != 0 || fill(device, entry, address, err) != 0;
            if (!failed)
                ompls_entry_arrived(&device->table, ompls_table_insert(&device->table, begin, end, entry->what.name), address, true,
                                    OMPLS_COUNT_FOR_EVER, &reference);
        }
        pthread_mutex_unlock(&device->table.lock);
        if (failed || write_pointer(device, entry->what.symbol, address, err) != 0) return 1;
    }
    if (lead_pointers(device, err) != 0) return 1;
    /* What omp_get_device_num answers in kernels: only the core knows how the program counts. */
    ompls_address where;
    if (!find_symbol(device, "ompls_image_device_number", &where)) return 0;
    return device->module->copy_in(device->handle, where, &device->number, sizeof device->number, err);
}

/* A `link` variable was mapped by a map clause: kernels see it from now on. */
void ompls_globals_mapped(ompls_device *device, const ompls_region *region, uintptr_t begin, uintptr_t end, ompls_address address) {
    for (uint32_t i = 0; nlinks > 0 && i < nglobals; i++) {
        uintptr_t variable = (uintptr_t)globals[i].what.address;
        if (!globals[i].what.link || variable + globals[i].what.size <= begin || variable >= end) continue;
        ompls_error err = {0};
        if (write_pointer(device, globals[i].what.symbol, address + (variable - begin), &err) != 0)
            ompls_fail_module((ompls_place){device, region}, "cannot link a declare target variable", &err);
    }
}
