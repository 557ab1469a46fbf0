/* libcuda.c -- a CUDA driver without a GPU: the functions that pycuda and the device `cuda` use, over the module `cudasim`.

   A module of the driver is an image of cudasim (the fake libnvrtc beside this file makes them), which is a process.  The
   modules of a GPU share its memory: one sim_device owns it, and every module has one more that borrows it.  As on a GPU, a
   kernel that fails is reported by the next call that waits, and stays reported.  OMPLS_FAKE_GPUS: how many GPUs there are. */
#define _GNU_SOURCE
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../../ompls/runtime/device_lib/cudasim/host/sim.h"

#define API __attribute__((visibility("default"))) int
enum {
    SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_DEVICE = 101, INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700, LAUNCH_FAILED = 719, NOT_SUPPORTED = 801
};
enum { MAX_GPUS = 8, MAX_MODULES = 256, MAX_BLOCKS = 1 << 16, MODULE_SHIFT = 48 };

typedef struct gpu gpu;
typedef struct {
    gpu *owner;
    sim_device *sim;
    void *loaded;
    char *image;
} module;
typedef struct {
    module *in;
    void *kernel;
    uint32_t nparams, *sizes, *aligns;
    char name[256];
} function;
struct gpu {
    int number, references;
    int sticky; /* the error that every call gets from now on */
    sim_device *sim;
    module modules[MAX_MODULES];
    int nmodules;
    struct {
        uint64_t address, size;
    } blocks[MAX_BLOCKS];
    int nblocks;
};

static gpu gpus[MAX_GPUS];
static ompls_module *table;
static _Thread_local gpu *stack[64];
static _Thread_local int depth;

void ompls_register_module(ompls_module *registered) {
    table = registered;
}

static gpu *current(void) {
    return depth > 0 ? stack[depth - 1] : NULL;
}

static int count(void) {
    const char *asked = getenv("OMPLS_FAKE_GPUS");
    int number = asked != NULL ? atoi(asked) : 1;
    return number < MAX_GPUS ? number : MAX_GPUS;
}

static int translated(gpu *g, const ompls_error *err) {
    if (!err->fatal) return INVALID_VALUE;
    return g->sticky = err->fault ? ILLEGAL_ADDRESS : LAUNCH_FAILED;
}

/* --- devices and contexts ---------------------------------------------------------------------------------------- */

API cuInit(unsigned flags) {
    (void)flags;
    return count() > 0 ? SUCCESS : NO_DEVICE;
}

API cuGetErrorString(int code, const char **text) {
    switch (code) {
    case SUCCESS: *text = "no error"; break;
    case INVALID_VALUE: *text = "invalid argument"; break;
    case OUT_OF_MEMORY: *text = "out of memory"; break;
    case NO_DEVICE: *text = "no CUDA-capable device is detected"; break;
    case INVALID_IMAGE: *text = "device kernel image is invalid"; break;
    case INVALID_CONTEXT: *text = "invalid device context"; break;
    case NOT_FOUND: *text = "named symbol not found"; break;
    case ILLEGAL_ADDRESS: *text = "an illegal memory access was encountered"; break;
    case LAUNCH_FAILED: *text = "unspecified launch failure"; break;
    case NOT_SUPPORTED: *text = "operation not supported"; break;
    default: *text = "unknown error";
    }
    return SUCCESS;
}

API cuDriverGetVersion(int *version) {
    *version = 13000;
    return SUCCESS;
}

API cuDeviceGetCount(int *number) {
    *number = count();
    return SUCCESS;
}

API cuDeviceGet(int *device, int number) {
    *device = number;
    return number >= 0 && number < count() ? SUCCESS : INVALID_DEVICE;
}

API cuDeviceGetName(char *name, int size, int device) {
    snprintf(name, (size_t)size, "Fake GPU %d", device);
    return SUCCESS;
}

API cuDeviceComputeCapability(int *major, int *minor, int device) {
    (void)device;
    *major = 5, *minor = 3;
    return SUCCESS;
}

API cuDeviceGetAttribute(int *value, int attribute, int device) {
    (void)device;
    switch (attribute) {
    case 1: *value = SIM_MAX_THREADS; break; /* MAX_THREADS_PER_BLOCK */
    case 5: *value = INT_MAX; break;         /* MAX_GRID_DIM_X */
    case 8: *value = SIM_MAX_SHARED; break;  /* MAX_SHARED_MEMORY_PER_BLOCK */
    case 10: *value = 32; break;             /* WARP_SIZE */
    case 16: *value = 2; break;              /* MULTIPROCESSOR_COUNT */
    case 75: *value = 5; break;              /* COMPUTE_CAPABILITY_MAJOR */
    case 76: *value = 3; break;              /* COMPUTE_CAPABILITY_MINOR */
    default: *value = 0;
    }
    return SUCCESS;
}

API cuDevicePrimaryCtxRetain(void **context, int device) {
    gpu *g = &gpus[device];
    ompls_error err = {0};
    if (g->references++ == 0) {
        g->number = device;
        if (table->open(table, device, (void **)&g->sim, &err) != 0) return g->references = 0, OUT_OF_MEMORY;
    }
    *context = g;
    return SUCCESS;
}

static void close_module(module *m) {
    m->sim->arena = NULL; /* borrowed */
    m->sim->arena_fd = -1;
    m->sim->blocks = NULL;
    table->close(m->sim);
    free(m->image);
}

API cuDevicePrimaryCtxRelease_v2(int device) {
    gpu *g = &gpus[device];
    if (g->references == 0) return INVALID_CONTEXT;
    if (--g->references > 0) return SUCCESS;
    for (int i = 0; i < g->nmodules; i++) close_module(&g->modules[i]);
    table->close(g->sim);
    memset(g, 0, sizeof *g);
    return SUCCESS;
}

API cuCtxPushCurrent_v2(void *context) {
    stack[depth++] = context;
    return SUCCESS;
}

API cuCtxPopCurrent_v2(void **context) {
    if (depth == 0) return INVALID_CONTEXT;
    gpu *top = stack[--depth];
    if (context != NULL) *context = top;
    return SUCCESS;
}

API cuCtxGetDevice(int *device) {
    if (current() == NULL) return INVALID_CONTEXT;
    *device = current()->number;
    return SUCCESS;
}

API cuCtxSynchronize(void) {
    return current() == NULL ? INVALID_CONTEXT : current()->sticky;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

API cuDeviceTotalMem_v2(size_t *bytes, int device) {
    (void)device;
    *bytes = (size_t)4 << 30;
    return SUCCESS;
}

API cuMemGetInfo_v2(size_t *left, size_t *total) {
    gpu *g = current();
    *total = g->sim->bytes;
    *left = g->sim->bytes - g->sim->in_use;
    return g->sticky;
}

/* Every module's process learns which pages it may touch. */
static int tell(module *m, uint64_t address, uint64_t size, bool accessible) {
    ompls_error err = {0};
    sim_control *control = m->sim->control;
    uint64_t begin = (address - m->sim->base) & ~4095ull, end = sim_round_up(address - m->sim->base + size, 4096);
    int status = 0;
    pthread_mutex_lock(&m->sim->commands);
    if (control->nprotections == sizeof control->protections / sizeof *control->protections)
        status = sim_send(m->sim, SIM_NOTHING, &err);
    if (status == 0)
        control->protections[control->nprotections++] = (sim_protection){.offset = begin, .size = end - begin, .accessible = accessible};
    pthread_mutex_unlock(&m->sim->commands);
    return status;
}

API cuMemAlloc_v2(uint64_t *address, size_t size) {
    gpu *g = current();
    ompls_error err = {0};
    if (g->sticky) return g->sticky;
    if (g->nblocks == MAX_BLOCKS || table->alloc(g->sim, size, address, &err) != 0) return OUT_OF_MEMORY;
    g->blocks[g->nblocks].address = *address;
    g->blocks[g->nblocks++].size = size;
    for (int i = 0; i < g->nmodules; i++)
        if (tell(&g->modules[i], *address, size, true) != 0) return LAUNCH_FAILED;
    return SUCCESS;
}

API cuMemFree_v2(uint64_t address) {
    gpu *g = current();
    ompls_error err = {0};
    if (g->sticky) return g->sticky;
    for (int i = 0; i < g->nblocks; i++) {
        if (g->blocks[i].address != address) continue;
        for (int k = 0; k < g->nmodules; k++) tell(&g->modules[k], address, g->blocks[i].size, false);
        g->blocks[i] = g->blocks[--g->nblocks];
        return table->free(g->sim, address, &err) != 0 ? INVALID_VALUE : SUCCESS;
    }
    return INVALID_VALUE;
}

/* Addresses of variables carry their module's number, plus one, in their upper bits. */
static sim_device *holder(gpu *g, uint64_t *address) {
    uint64_t number = *address >> MODULE_SHIFT;
    if (number == 0) return g->sim;
    *address &= (1ull << MODULE_SHIFT) - 1;
    return number <= (uint64_t)g->nmodules ? g->modules[number - 1].sim : NULL;
}

API cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size) {
    gpu *g = current();
    ompls_error err = {0};
    if (g == NULL) return INVALID_CONTEXT;
    if (g->sticky) return g->sticky;
    sim_device *d = holder(g, &to);
    return d == NULL || table->copy_in(d, to, from, size, &err) != 0 ? INVALID_VALUE : SUCCESS;
}

API cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size) {
    gpu *g = current();
    ompls_error err = {0};
    if (g == NULL) return INVALID_CONTEXT;
    if (g->sticky) return g->sticky;
    sim_device *d = holder(g, &from);
    return d == NULL || table->copy_out(d, to, from, size, &err) != 0 ? INVALID_VALUE : SUCCESS;
}

API cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t size) {
    gpu *g = current();
    ompls_error err = {0};
    if (g->sticky) return g->sticky;
    return table->copy_within(g->sim, to, from, size, &err) != 0 ? INVALID_VALUE : SUCCESS;
}

API cuMemsetD8_v2(uint64_t to, unsigned char value, size_t size) {
    gpu *g = current();
    if (g->sticky) return g->sticky;
    memset(g->sim->arena + (to - g->sim->base), value, size);
    return SUCCESS;
}

/* --- modules and kernels ------------------------------------------------------------------------------------------- */

static bool borrow(gpu *g, module *m) {
    ompls_error err = {0};
    if (table->open(table, g->number, (void **)&m->sim, &err) != 0) return false;
    sim_drop_memory(m->sim);
    m->sim->blocks = g->sim->blocks;
    close(m->sim->arena_fd);
    m->sim->arena_fd = g->sim->arena_fd;
    m->sim->arena = g->sim->arena;
    return true;
}

API cuModuleLoadDataEx(void **out, const void *image, unsigned n, int *options, void **values) {
    gpu *g = current();
    const Elf64_Ehdr *elf = image;
    ompls_error err = {0};
    (void)n, (void)options, (void)values;
    if (g == NULL) return INVALID_CONTEXT;
    if (memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 || g->nmodules == MAX_MODULES) return INVALID_IMAGE;
    uint64_t size = elf->e_shoff + (uint64_t)elf->e_shnum * elf->e_shentsize;
    module *m = &g->modules[g->nmodules];
    *m = (module){.owner = g, .image = malloc(size)};
    if (m->image == NULL || !borrow(g, m)) return OUT_OF_MEMORY;
    memcpy(m->image, image, size);
    if (table->load(m->sim, m->image, size, &m->loaded, &err) != 0) {
        fprintf(stderr, "fake libcuda: %s\n", err.reason);
        return INVALID_IMAGE;
    }
    g->nmodules++;
    *out = m;
    return SUCCESS;
}

API cuModuleLoadData(void **out, const void *image) {
    return cuModuleLoadDataEx(out, image, 0, NULL, NULL);
}

API cuModuleUnload(void *loaded) {
    (void)loaded; /* goes with the context */
    return SUCCESS;
}

API cuModuleGetGlobal_v2(uint64_t *address, size_t *size, void *loaded, const char *name) {
    module *m = loaded;
    ompls_error err = {0};
    if (table->find_symbol(m->sim, m->loaded, name, address, &err) != 0) return NOT_FOUND;
    *address |= (uint64_t)(m - m->owner->modules + 1) << MODULE_SHIFT;
    if (size != NULL) *size = 8;
    return SUCCESS;
}

/* What a variable of the module's process holds. */
static int peek(module *m, uint64_t address, void *to, uint64_t size) {
    ompls_error err = {0};
    return size > 0 ? table->copy_out(m->sim, to, address, size, &err) : 0;
}

static int peek_variable(module *m, const char *prefix, const char *name, void *to, uint64_t size) {
    char symbol[512];
    uint64_t address;
    ompls_error err = {0};
    snprintf(symbol, sizeof symbol, "%s%s", prefix, name);
    return table->find_symbol(m->sim, m->loaded, symbol, &address, &err) != 0 ? 1 : peek(m, address, to, size);
}

API cuModuleGetFunction(void **out, void *loaded, const char *name) {
    module *m = loaded;
    ompls_error err = {0};
    sim_kernel described;
    uint64_t aligns;
    function *f = calloc(1, sizeof *f);
    if (f == NULL) return OUT_OF_MEMORY;
    f->in = m;
    snprintf(f->name, sizeof f->name, "%s", name);
    if (peek_variable(m, "ompls_sim_kernel_", name, &described, sizeof described) != 0 ||
        peek_variable(m, "fake_aligns_", name, &aligns, sizeof aligns) != 0 ||
        table->find_kernel(m->sim, m->loaded, f->name, &f->kernel, &err) != 0) {
        free(f);
        return NOT_FOUND;
    }
    f->nparams = described.nparams;
    f->sizes = calloc(f->nparams + 1, 2 * sizeof *f->sizes);
    if (f->sizes == NULL) return OUT_OF_MEMORY;
    f->aligns = f->sizes + f->nparams;
    peek(m, (uint64_t)(uintptr_t)described.sizes, f->sizes, f->nparams * sizeof *f->sizes);
    peek(m, aligns, f->aligns, f->nparams * sizeof *f->aligns);
    *out = f;
    return SUCCESS;
}

API cuFuncGetAttribute(int *value, int attribute, void *f) {
    (void)f;
    *value = attribute == 0 ? SIM_MAX_THREADS : 0; /* MAX_THREADS_PER_BLOCK */
    return SUCCESS;
}

API cuFuncSetBlockShape(void *f, int x, int y, int z) {
    (void)f, (void)x, (void)y, (void)z;
    return SUCCESS;
}

API cuFuncSetSharedSize(void *f, unsigned bytes) {
    (void)f, (void)bytes;
    return SUCCESS;
}

API cuLaunchKernel(void *kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **args, void **extra) {
    function *f = kernel;
    gpu *g = current();
    const char *buffer = NULL;
    uint64_t given = 0, at = 0, sizes[SIM_MAX_PARAMS];
    const void *params[SIM_MAX_PARAMS];
    (void)stream, (void)args;
    if (g == NULL) return INVALID_CONTEXT;
    if (g->sticky) return g->sticky;
    for (int i = 0; extra != NULL && extra[i] != NULL; i += 2) {
        if (extra[i] == (void *)1) buffer = extra[i + 1];              /* CU_LAUNCH_PARAM_BUFFER_POINTER */
        if (extra[i] == (void *)2) given = *(const size_t *)extra[i + 1]; /* CU_LAUNCH_PARAM_BUFFER_SIZE */
    }
    for (uint32_t i = 0; i < f->nparams; i++) {
        at = sim_round_up(at, f->aligns[i]);
        params[i] = buffer + at;
        sizes[i] = f->sizes[i];
        at += sizes[i];
    }
    if (at > given) return INVALID_VALUE;
    ompls_launch_request request = {.region_file = "", .name = f->name, .grid = {gx, gy, gz}, .block = {bx, by, bz},
                                    .shared_bytes = shared, .nparams = f->nparams, .params = params, .sizes = sizes};
    ompls_error err = {0};
    if (table->launch(f->in->sim, f->kernel, &request, &err) == 0) return SUCCESS;
    int code = translated(g, &err);
    return g->sticky ? SUCCESS : code; /* a GPU tells later */
}

/* --- streams and events: everything is done when a call returns ------------------------------------------------------- */

API cuStreamCreate(void **stream, unsigned flags) {
    (void)flags;
    return (*stream = malloc(8)) != NULL ? SUCCESS : OUT_OF_MEMORY;
}

API cuStreamSynchronize(void *stream) {
    (void)stream;
    return cuCtxSynchronize();
}

API cuStreamDestroy_v2(void *stream) {
    free(stream);
    return SUCCESS;
}

API cuEventCreate(void **event, unsigned flags) {
    (void)flags;
    return (*event = calloc(1, sizeof(struct timespec))) != NULL ? SUCCESS : OUT_OF_MEMORY;
}

API cuEventRecord(void *event, void *stream) {
    (void)stream;
    clock_gettime(CLOCK_MONOTONIC, event);
    return SUCCESS;
}

API cuEventSynchronize(void *event) {
    (void)event;
    return cuCtxSynchronize();
}

API cuEventElapsedTime_v2(float *milliseconds, void *from, void *to) {
    const struct timespec *a = from, *b = to;
    *milliseconds = (float)((double)(b->tv_sec - a->tv_sec) * 1e3 + (double)(b->tv_nsec - a->tv_nsec) / 1e6);
    return SUCCESS;
}

API cuEventElapsedTime(float *milliseconds, void *from, void *to) {
    return cuEventElapsedTime_v2(milliseconds, from, to);
}

API cuEventDestroy_v2(void *event) {
    free(event);
    return SUCCESS;
}
