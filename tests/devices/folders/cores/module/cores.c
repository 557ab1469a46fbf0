/* cores.c -- the device `cores`: kernels are functions `void NAME(void **params)` of a shared object, memory is malloc's. */
#define _GNU_SOURCE
#include "device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 128, THREADS = 8 };

static int fail(ompls_error *err, const char *what, const char *why) {
    snprintf(err->reason, sizeof err->reason, "%s: %s", what, why);
    snprintf(err->hint, sizeof err->hint, "look into cores.c");
    return 1;
}

static int cores_probe(ompls_module *self, int wanted, ompls_error *err) {
    (void)self, (void)err;
    return wanted > 0 ? wanted : 1;
}

static int cores_open(ompls_module *self, int index, void **out, ompls_error *err) {
    (void)self, (void)index;
    *out = malloc(1);
    return *out != NULL ? 0 : fail(err, "opening", "no memory");
}

static void cores_close(void *device) {
    free(device);
}

static int cores_properties(void *device, ompls_properties *out, ompls_error *err) {
    (void)device, (void)err;
    *out = (ompls_properties){.max_threads = THREADS, .max_teams = 1, .default_threads = 2, .default_teams = 1};
    snprintf(out->name, sizeof out->name, "cores");
    return 0;
}

static int cores_alloc(void *device, uint64_t size, ompls_address *out, ompls_error *err) {
    (void)device;
    void *memory = aligned_alloc(ALIGNMENT, (size + ALIGNMENT) / ALIGNMENT * ALIGNMENT);
    *out = (uintptr_t)memory;
    return memory != NULL ? 0 : fail(err, "allocating", "no memory");
}

static int cores_free(void *device, ompls_address address, ompls_error *err) {
    (void)device, (void)err;
    free((void *)(uintptr_t)address);
    return 0;
}

static int cores_copy_in(void *device, ompls_address to, const void *from, uint64_t size, ompls_error *err) {
    (void)device, (void)err;
    memcpy((void *)(uintptr_t)to, from, size);
    return 0;
}

static int cores_copy_out(void *device, void *to, ompls_address from, uint64_t size, ompls_error *err) {
    (void)device, (void)err;
    memcpy(to, (const void *)(uintptr_t)from, size);
    return 0;
}

static int cores_copy_within(void *device, ompls_address to, ompls_address from, uint64_t size, ompls_error *err) {
    (void)device, (void)err;
    memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size);
    return 0;
}

static int cores_attach(void *device, ompls_address at, ompls_address target, ompls_error *err) {
    (void)device, (void)err;
    *(uintptr_t *)(uintptr_t)at = target;
    return 0;
}

/* Each device has an image of its own: the loader tells them apart by the path, so the file stays open. */
static int cores_load(void *device, const void *image, uint64_t size, void **loaded, ompls_error *err) {
    (void)device;
    char path[64];
    int file = memfd_create("cores", MFD_CLOEXEC);
    if (file < 0 || write(file, image, size) != (ssize_t)size) return fail(err, "loading", "no memory");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    *loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return *loaded != NULL ? 0 : fail(err, "loading", dlerror());
}

static int cores_find_kernel(void *device, void *loaded, const char *name, void **kernel, ompls_error *err) {
    (void)device;
    *kernel = dlsym(loaded, name);
    return *kernel != NULL ? 0 : fail(err, name, "not in the image");
}

static int cores_find_symbol(void *device, void *loaded, const char *name, ompls_address *out, ompls_error *err) {
    (void)device;
    void *address = dlsym(loaded, name);
    *out = (uintptr_t)address;
    return address != NULL ? 0 : fail(err, name, "not in the image");
}

static int cores_launch(void *device, void *kernel, const ompls_launch_request *request, ompls_error *err) {
    (void)device, (void)err;
    void (*run)(void **);
    memcpy(&run, &kernel, sizeof run);
    run((void **)(uintptr_t)request->params);
    return 0;
}

static int cores_synchronize(void *device, ompls_error *err) {
    (void)device, (void)err;
    return 0;
}

static ompls_module module = {
    .abi = OMPLS_MODULE_ABI, .name = "cores", .kind = "cpu", .image_class = "cores", .probe = cores_probe,
    .open = cores_open, .close = cores_close, .properties = cores_properties, .alloc = cores_alloc, .free = cores_free,
    .copy_in = cores_copy_in, .copy_out = cores_copy_out, .copy_within = cores_copy_within, .load = cores_load,
    .find_kernel = cores_find_kernel, .find_symbol = cores_find_symbol, .launch = cores_launch,
    .synchronize = cores_synchronize, .attach = cores_attach,
};

__attribute__((constructor)) static void announce(void) {
    ompls_register_module(&module);
}
