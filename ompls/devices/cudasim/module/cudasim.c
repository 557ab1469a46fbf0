/* cudasim.c -- the device `cudasim`: the table of device.h over a process that runs CUDA kernels on the CPU.

   The image is an executable: it is started as the device process and driven through shared memory; protocol.h in
   library says what the two share, host/memory.c and host/process.c there do the work.  All functions may be
   called from several threads; commands to the process go one at a time. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../library/host/sim.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

typedef struct {
    const char *name;
    uint64_t entry; /* of its sim_kernel, in the process */
    uint32_t static_shared;
} kernel;

/* --- the image ---------------------------------------------------------------------------------------------------- */

sim_symbols sim_symbols_of(const sim_device *d) {
    const Elf64_Ehdr *elf = (const void *)d->image;
    const Elf64_Shdr *sections = (const void *)(d->image + elf->e_shoff);
    for (int i = 0; i < elf->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB)
            return (sim_symbols){(const void *)(d->image + sections[i].sh_offset), sections[i].sh_size / sizeof(Elf64_Sym),
                                 (const char *)d->image + sections[sections[i].sh_link].sh_offset};
    return (sim_symbols){0};
}

/* The value of a symbol of the image. */
static bool find(const sim_device *d, const char *name, uint64_t *value) {
    const sim_symbols table = sim_symbols_of(d);
    for (uint64_t k = 0; k < table.count; k++) {
        if (table.of[k].st_shndx == SHN_UNDEF || strcmp(table.names + table.of[k].st_name, name) != 0) continue;
        *value = table.of[k].st_value;
        return true;
    }
    return false;
}

static bool looks_right(const void *image, uint64_t size) {
    const Elf64_Ehdr *elf = image;
#if defined(__aarch64__)
    const int machine = EM_AARCH64;
#else
    const int machine = EM_X86_64;
#endif
    return size > sizeof *elf && memcmp(elf->e_ident, ELFMAG, SELFMAG) == 0 && elf->e_machine == machine &&
           elf->e_shoff + (uint64_t)elf->e_shnum * sizeof(Elf64_Shdr) <= size;
}

static int sim_load(void *handle, const void *image, uint64_t size, void **loaded, ompls_error *err) {
    sim_device *d = handle;
    if (d->process.number != 0) return ompls_device_fail(err, "link all target regions into one program", "cudasim holds one image per program");
    if (d->in_use != 0) return ompls_device_fail(err, "load first", "an image is loaded before anything is allocated");
    if (!looks_right(image, size)) return ompls_device_fail(err, "build the program again on this machine", "the image is not an executable of this machine");
    d->image = image;
    d->image_size = size;
    *loaded = d;
    find(d, "ompls_sim_architecture", &d->architecture);
    find(d, "ompls_sim_max_shared", &d->max_shared);
    find(d, "ompls_sim_max_parameters", &d->max_parameters);
    uint64_t value;
    if (find(d, "ompls_sim_checks", &value) && sim_begin_checks(d, err) != 0) return 1;
    d->debugged = find(d, "ompls_sim_debugged", &value);
    return sim_start(d, err);
}

static int sim_find_kernel(void *handle, void *loaded, const char *name, void **out, ompls_error *err) {
    sim_device *d = handle;
    char symbol[512];
    uint64_t entry, shared = 0;
    (void)loaded;
    snprintf(symbol, sizeof symbol, "ompls_sim_kernel_%s", name);
    if (!find(d, symbol, &entry)) return ompls_device_fail(err, "build the program again for `cudasim`", "kernel %s is not in the image", name);
    snprintf(symbol, sizeof symbol, "ompls_sim_shared_%s", name);
    find(d, symbol, &shared);
    kernel *k = malloc(sizeof *k); /* for the life of the program, as the region that asks */
    if (k == NULL) return ompls_device_fail(err, "close other programs", "out of memory");
    *k = (kernel){.name = name, .entry = entry, .static_shared = (uint32_t)shared};
    *out = k;
    return 0;
}

static int sim_find_symbol(void *handle, void *loaded, const char *name, ompls_address *out, ompls_error *err) {
    (void)loaded;
    return find(handle, name, out) ? 0 : ompls_device_fail(err, "build the program again for `cudasim`", "%s is not in the image", name);
}

/* --- launching ---------------------------------------------------------------------------------------------------- */

/* A launch is beyond what compute capability allows: the hint, which costs more than all of a launch that is not. */
static int beyond(const sim_device *d, ompls_error *err) {
    snprintf(err->hint, sizeof err->hint, "see the limits of compute capability %d.%d (OMPLS_CUDASIM_ARCH)", (int)(d->architecture / 10),
             (int)(d->architecture % 10));
    return 1;
}

/* The CUDA programming guide's limits for the image's architecture: a launch that a GPU refuses is refused here. */
static int check(const sim_device *d, const kernel *k, const ompls_launch_request *request, ompls_error *err) {
    uint64_t bytes = 0;
    const uint32_t *grid = request->grid, *block = request->block;
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (threads == 0 || threads > SIM_MAX_THREADS || block[2] > SIM_MAX_BLOCK_Z) {
        ompls_device_fail(err, "", "a block of %u x %u x %u threads: 1 to %d are possible, and at most %d in z", block[0], block[1], block[2],
                          SIM_MAX_THREADS, SIM_MAX_BLOCK_Z);
        return beyond(d, err);
    }
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0 || grid[0] > INT_MAX || grid[1] > 65535 || grid[2] > 65535) {
        ompls_device_fail(err, "", "a grid of %u x %u x %u blocks: 1 to %d x 65535 x 65535 are possible", grid[0], grid[1], grid[2], INT_MAX);
        return beyond(d, err);
    }
    if ((uint64_t)request->shared_bytes + k->static_shared > d->max_shared) {
        ompls_device_fail(err, "", "%u bytes of shared memory (%u of them static): %d are possible", request->shared_bytes + k->static_shared,
                          k->static_shared, (int)d->max_shared);
        return beyond(d, err);
    }
    if (request->nparams > SIM_MAX_PARAMS) return ompls_device_fail(err, "use fewer variables", "%u parameters", request->nparams);
    for (uint32_t i = 0; i < request->nparams; i++) bytes = sim_place(bytes, request->sizes[i]) + request->sizes[i];
    if (bytes > d->max_parameters)
        return ompls_device_fail(err, "map large variables instead of passing them by value", "more than %d bytes of parameters", (int)d->max_parameters);
    return 0;
}

static int sim_launch(void *handle, void *found, const ompls_launch_request *request, ompls_error *err) {
    sim_device *d = handle;
    const kernel *k = found;
    if (check(d, k, request, err) != 0) return 1;
    pthread_mutex_lock(&d->commands);
    sim_control *control = d->control;
    uint64_t used = 0;
    for (uint32_t i = 0; i < request->nparams; i++) {
        used = sim_place(used, request->sizes[i]);
        control->offsets[i] = (uint32_t)used;
        control->sizes[i] = (uint32_t)request->sizes[i];
        memcpy(control->params + used, request->params[i], request->sizes[i]);
        used += request->sizes[i];
    }
    control->nparams = request->nparams;
    control->kernel = k->entry;
    memcpy(control->grid, request->grid, sizeof control->grid);
    memcpy(control->block, request->block, sizeof control->block);
    control->dynamic_shared = request->shared_bytes;
    control->static_shared = k->static_shared;
    control->checks = d->checks;
    control->nfindings = 0;
    int status = sim_send(d, SIM_LAUNCH, err);
    if (d->checks != 0) sim_report(d, request);
    pthread_mutex_unlock(&d->commands);
    return status;
}

/* What a queued kernel takes of the queue. */
static uint64_t queued_size(const ompls_launch_request *request) {
    uint64_t used = 0;
    for (uint32_t i = 0; i < request->nparams; i++) used = sim_place(used, request->sizes[i]) + request->sizes[i];
    return sizeof(sim_queued) + sim_round_up(used, 16);
}

/* With `queueing` held.  False: there is no memory. */
static bool make_queue(sim_device *d, uint64_t bytes) {
    ompls_error err;
    if (bytes <= d->queue_bytes) return true;
    if (d->queue_bytes != 0 && sim_free(d, d->queue, &err) != 0) return false;
    d->queue_bytes = 0;
    if (sim_alloc(d, 2 * bytes, &d->queue, &err) != 0) return false;
    d->queue_bytes = 2 * bytes;
    return true;
}

/* Where the next one stands. */
static char *put(char *at, const kernel *k, const ompls_launch_request *request) {
    sim_queued *queued = (sim_queued *)at;
    uint64_t used = 0;
    queued->size = queued_size(request);
    queued->kernel = k->entry;
    queued->nparams = request->nparams;
    memcpy(queued->grid, request->grid, sizeof queued->grid);
    memcpy(queued->block, request->block, sizeof queued->block);
    for (uint32_t i = 0; i < request->nparams; i++) {
        used = sim_place(used, request->sizes[i]);
        memcpy(at + sizeof *queued + used, request->params[i], request->sizes[i]);
        used += request->sizes[i];
    }
    queued->bytes = (uint32_t)used;
    return at + queued->size;
}

/* The queue stands in the device's memory, which both sides have.  Checks look at each launch by itself. */
static int sim_launch_all(void *handle, uint32_t count, void *const *kernels, const ompls_launch_request *requests, uint32_t *failed, ompls_error *err) {
    sim_device *d = handle;
    uint64_t bytes = 0;
    if (d->checks != 0) return -1;
    for (*failed = 0; *failed < count; ++*failed) {
        if (check(d, kernels[*failed], &requests[*failed], err) != 0) return 1;
        bytes += queued_size(&requests[*failed]);
    }
    *failed = 0;
    int status = -1;
    pthread_mutex_lock(&d->queueing);
    if (make_queue(d, bytes)) {
        char *at = d->arena + (d->queue - d->base);
        for (uint32_t i = 0; i < count; i++) at = put(at, kernels[i], &requests[i]);
        pthread_mutex_lock(&d->commands);
        d->control->address = d->queue;
        d->control->length = count;
        status = sim_send(d, SIM_LAUNCH_ALL, err);
        if (d->control->begun < count) *failed = d->control->begun;
        pthread_mutex_unlock(&d->commands);
    }
    pthread_mutex_unlock(&d->queueing);
    return status;
}

/* A launch returns when the kernel has ended. */
static int sim_synchronize(void *handle, ompls_error *err) {
    (void)handle, (void)err;
    return 0;
}

/* --- opening and closing ------------------------------------------------------------------------------------------ */

static int sim_probe(ompls_module *self, int wanted, ompls_error *err) {
    (void)self;
    if (wanted > SIM_MAX_DEVICES) {
        ompls_device_fail(err, "ask for fewer", "%d devices: at most %d are simulated", wanted, SIM_MAX_DEVICES);
        return 0;
    }
    return wanted > 0 ? wanted : 1;
}

static uint64_t memory_size(void) {
    const char *asked = getenv("OMPLS_CUDASIM_MEMORY");
    uint64_t mebibytes = asked != NULL ? strtoull(asked, NULL, 10) : 0;
    uint64_t bytes = mebibytes != 0 ? mebibytes << 20 : (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
    return sim_round_up(bytes < SIM_ARENA_STRIDE ? bytes : SIM_ARENA_STRIDE, 65536);
}

static bool arenas_reserved; /* no memory of the host is where devices have theirs */

/* Nothing of the program shall lie where something of a device may; ranges that are taken already are left alone. */
static void reserve(void) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    const struct {
        uint64_t start, size;
    } ranges[] = {{SIM_IMAGE_BASE, SIM_IMAGE_SIZE},
                  {SIM_ARENA_BASE, SIM_MAX_DEVICES * SIM_ARENA_STRIDE},
                  {SIM_INTERNAL_BASE, SIM_INTERNAL_SIZE + (1 << 20)}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        void *wanted = (void *)(uintptr_t)ranges[i].start, *got = mmap(wanted, ranges[i].size, PROT_NONE, flags, -1, 0);
        if (got == wanted && ranges[i].start == SIM_ARENA_BASE) arenas_reserved = true;
        if (got != MAP_FAILED && got != wanted) munmap(got, ranges[i].size); /* before Linux 4.17 */
    }
}

static int sim_open(ompls_module *self, int index, void **out, ompls_error *err) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)self;
    pthread_once(&once, reserve);
    sim_device *d = calloc(1, sizeof *d);
    if (d == NULL) return ompls_device_fail(err, "close other programs", "out of memory");
    *d = (sim_device){.index = index, .bytes = memory_size()};
    d->base = SIM_ARENA_BASE + (uint64_t)index * SIM_ARENA_STRIDE;
    pthread_mutex_init(&d->memory, NULL);
    pthread_mutex_init(&d->commands, NULL);
    pthread_mutex_init(&d->queueing, NULL);
    /* Until there is a process to share it with (sim_start), and for good where the program has no image. */
    void *arena = mmap(NULL, d->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    d->arena = arena == MAP_FAILED ? NULL : arena;
    if (d->arena == NULL || !sim_make_memory(d)) {
        ompls_device_fail(err, "lower OMPLS_CUDASIM_MEMORY (MiB), or look at the limits on memory", "making the device's memory of %llu bytes: %s",
             (unsigned long long)d->bytes, strerror(ENOMEM));
        ompls_drop_blocks(&d->blocks);
        if (d->arena != NULL) munmap(d->arena, d->bytes);
        free(d);
        return 1;
    }
    *out = d;
    return 0;
}

/* Its memory stays: other threads may be copying while the program ends. */
static void sim_close(void *handle) {
    sim_device *d = handle;
    /* A process that forked after opening must leave the device to its parent. */
    if (d->process.number != 0 && d->owner == getpid()) sim_stop(d);
}

static int sim_properties(void *handle, ompls_properties *out, ompls_error *err) {
    sim_device *d = handle;
    (void)err;
    *out = (ompls_properties){.memory = d->bytes, .max_threads = SIM_MAX_THREADS, .max_teams = INT_MAX, .default_threads = 128,
                              .loops = 1, .many_teams = 64 /* starting a thread costs more than an iteration of a short loop */,
                              .row_threads = d->checks != 0 ? 0 : 1 /* a row is one loop of the CPU's */,
                              .reserved = d->base, .reserved_bytes = arenas_reserved ? d->bytes : 0};
    snprintf(out->name, sizeof out->name, "CUDA on the CPU (limits of compute capability 5.3)");
    return 0;
}

/* pages.cpp in library: the process reads the program's memory and writes to it. */
static int sim_share_host_memory(void *handle, ompls_error *err) {
    sim_device *d = handle;
    if (d->process.number == 0) return 0; /* no kernels */
#ifdef PR_SET_PTRACER
    prctl(PR_SET_PTRACER, (unsigned long)d->process.number, 0, 0, 0); /* where only a parent may (sysctl kernel.yama.ptrace_scope) */
#endif
    pthread_mutex_lock(&d->commands);
    d->control->address = (uintptr_t)d;
    int status = sim_send(d, SIM_SHARE, err);
    pthread_mutex_unlock(&d->commands);
    if (status != 0) snprintf(err->hint, sizeof err->hint, "see sysctl kernel.yama.ptrace_scope and the container's rights");
    return status;
}

static ompls_module module = {
    .abi = OMPLS_MODULE_ABI, .name = "cudasim", .kind = "gpu", .image_class = "cudasim", .probe = sim_probe, .open = sim_open,
    .close = sim_close, .properties = sim_properties, .alloc = sim_alloc, .free = sim_free, .copy_in = sim_copy_in,
    .copy_out = sim_copy_out, .copy_within = sim_copy_within, .load = sim_load, .find_kernel = sim_find_kernel,
    .find_symbol = sim_find_symbol, .launch = sim_launch, .synchronize = sim_synchronize, .attach = sim_attach, .copy_peer = sim_copy_peer,
    .share_host_memory = sim_share_host_memory, .leave_out = sim_leave_out, .launch_all = sim_launch_all,
};

__attribute__((constructor)) static void announce(void) {
    ompls_register_module(&module);
}
