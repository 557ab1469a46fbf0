/* host.c -- the device `host`: kernels run on the host's own cores, but in a data environment of their own.

   An image is a shared object.  Each device loads a copy of it from a memfd of its own, so the static variables of two
   devices are two.  A kernel is `void NAME(void **params)`; params[i] points to the bytes of parameter i. */
#define _GNU_SOURCE
#include "../../../runtime/core/fail.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 128 }; /* no host object asks for more: a corresponding variable is as well aligned as the original */

typedef struct {
    int index;
    void *loaded;
} device;

typedef void (*kernel_function)(void **params);

static int host_probe(ompls_module *self, int wanted, ompls_error *err) {
    (void)self, (void)err;
    return wanted > 0 ? wanted : 1;
}

static int host_open(ompls_module *self, int index, void **out, ompls_error *err) {
    (void)self;
    device *opened = calloc(1, sizeof *opened);
    if (opened == NULL) return ompls_device_fail(err, "close other programs", "opening: %s", strerror(errno));
    opened->index = index;
    *out = opened;
    return 0;
}

static void host_close(void *handle) {
    (void)handle; /* it stays, and so does the image: threads may be in both */
}

static int host_properties(void *handle, ompls_properties *out, ompls_error *err) {
    (void)handle, (void)err;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE), cores = sysconf(_SC_NPROCESSORS_ONLN);
    *out = (ompls_properties){.memory = (uint64_t)pages * (uint64_t)page, .max_threads = 1024, .max_teams = 65535,
                              .default_threads = cores > 0 ? (uint32_t)cores : 1, .default_teams = 1, .shares_host_memory = 1};
    snprintf(out->name, sizeof out->name, "the host's %ld cores", cores);
    return 0;
}

static int host_alloc(void *handle, uint64_t size, ompls_address *out, ompls_error *err) {
    (void)handle;
    /* Not posix_memalign: glibc would map and unmap large blocks each time, which costs more than the copy. */
    uintptr_t memory = size > UINT64_MAX - 2 * ALIGNMENT ? 0 : (uintptr_t)malloc(size + 2 * ALIGNMENT);
    if (memory == 0) return ompls_device_fail(err, "map less at a time", "malloc: %s", strerror(ENOMEM));
    *out = (memory + ALIGNMENT + sizeof memory - 1) & ~(uintptr_t)(ALIGNMENT - 1);
    memcpy((void *)(uintptr_t)(*out - sizeof memory), &memory, sizeof memory);
    return 0;
}

static int host_free(void *handle, ompls_address address, ompls_error *err) {
    (void)handle, (void)err;
    uintptr_t memory;
    memcpy(&memory, (void *)(uintptr_t)(address - sizeof memory), sizeof memory);
    free((void *)memory);
    return 0;
}

static int host_copy_in(void *handle, ompls_address to, const void *from, uint64_t size, ompls_error *err) {
    (void)handle, (void)err;
    memcpy((void *)(uintptr_t)to, from, size);
    return 0;
}

static int host_copy_out(void *handle, void *to, ompls_address from, uint64_t size, ompls_error *err) {
    (void)handle, (void)err;
    memcpy(to, (const void *)(uintptr_t)from, size);
    return 0;
}

static int host_copy_within(void *handle, ompls_address to, ompls_address from, uint64_t size, ompls_error *err) {
    (void)handle, (void)err;
    memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size);
    return 0;
}

/* Its addresses are the process's. */
static int host_copy_peer(void *handle, ompls_address to, void *from_device, ompls_address from, uint64_t size, ompls_error *err) {
    (void)from_device;
    return host_copy_within(handle, to, from, size, err);
}

static int host_attach(void *handle, ompls_address at, ompls_address target, ompls_error *err) {
    uintptr_t pointer = (uintptr_t)target;
    return host_copy_in(handle, at, &pointer, sizeof pointer, err);
}

static bool write_all(int file, const char *bytes, uint64_t size) {
    while (size > 0) {
        ssize_t done = write(file, bytes, size);
        if (done < 0 && errno != EINTR) return false;
        if (done > 0) bytes += done, size -= (uint64_t)done;
    }
    return true;
}

static int host_load(void *handle, const void *image, uint64_t size, void **loaded, ompls_error *err) {
    /* The loader tells images apart by path.  This one's stays open, for debuggers; but the program may close it, and the next
       image must not get its number. */
    static int last = 9; /* 0 to 2 are the program's */
    static pthread_mutex_t numbering = PTHREAD_MUTEX_INITIALIZER;
    device *opened = handle;
    char path[64];
    pthread_mutex_lock(&numbering);
    int low = memfd_create("ompls-host-image", MFD_CLOEXEC), file = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, last + 1);
    if (file >= 0) last = file;
    pthread_mutex_unlock(&numbering);
    int failed = file < 0 || !write_all(file, image, size) ? errno : 0;
    if (low >= 0) close(low);
    if (failed != 0) {
        if (file >= 0) close(file);
        return ompls_device_fail(err, "check the limits on memory and open files", "copying the image: %s", strerror(failed));
    }
    /* Not /proc/self: a debugger opens the images of the process by these paths, and would wait for a file of its own. */
    /* The dot: the stub's program (core/stub.c) may have had this number. */
    snprintf(path, sizeof path, "/proc/%d/./fd/%d", (int)getpid(), file);
    opened->loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (opened->loaded == NULL) {
        ompls_device_fail(err, "build the program again on this machine", "loading the image: %s", dlerror());
        close(file);
        return 1;
    }
    *loaded = opened->loaded;
    return 0;
}

static int host_find(void *loaded, const char *name, void **out, ompls_error *err) {
    *out = dlsym(loaded, name);
    return *out != NULL ? 0 : ompls_device_fail(err, "build the program again for `host`", "%s: not in the image", name);
}

static int host_find_kernel(void *handle, void *loaded, const char *name, void **kernel, ompls_error *err) {
    (void)handle;
    return host_find(loaded, name, kernel, err);
}

static int host_find_symbol(void *handle, void *loaded, const char *name, ompls_address *out, ompls_error *err) {
    (void)handle;
    void *address;
    if (host_find(loaded, name, &address, err) != 0) return 1;
    *out = (uintptr_t)address;
    return 0;
}

static int host_launch(void *handle, void *kernel, const ompls_launch_request *request, ompls_error *err) {
    (void)handle, (void)err;
    kernel_function run;
    memcpy(&run, &kernel, sizeof run); /* what dlsym gives is an object pointer to ISO C */
    run((void **)(uintptr_t)request->params);
    return 0;
}

static int host_synchronize(void *handle, ompls_error *err) {
    (void)handle, (void)err;
    return 0;
}

static ompls_module module = {
    .abi = OMPLS_MODULE_ABI, .name = "host", .kind = "cpu", .image_class = "host", .probe = host_probe, .open = host_open, .close = host_close,
    .properties = host_properties, .alloc = host_alloc, .free = host_free, .copy_in = host_copy_in, .copy_out = host_copy_out,
    .copy_within = host_copy_within, .load = host_load, .find_kernel = host_find_kernel, .find_symbol = host_find_symbol,
    .launch = host_launch, .synchronize = host_synchronize, .attach = host_attach, .copy_peer = host_copy_peer,
};

__attribute__((constructor)) static void announce(void) {
    ompls_register_module(&module);
}
