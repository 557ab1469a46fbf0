/* libcuda.c -- a CUDA driver without a GPU: the functions that pycuda and the device `cuda` use, over the module `cudasim`.
   The versions in their names are those that cuda.h has for them.

   A module of the driver is an image of cudasim (the fake libnvrtc beside this file makes them), which is a process.  The
   modules of a GPU share its memory: one sim_device owns it, and every module has one more that borrows it.  As on a GPU, a
   kernel that fails is reported by the next call that waits, and stays reported.  OMPLS_FAKE_GPUS: how many GPUs there are.
   OMPLS_FAKE_CALLS: a file that gets the name of each function that is called. */
#define _GNU_SOURCE
#include "fake.h"

static gpu gpus[MAX_GPUS];
ompls_module *fake_table;
static _Thread_local gpu *stack[64];
static _Thread_local int depth;

/* What GPUs have in common lists, one thread at a time changes: the module without Python calls from several. */
static pthread_mutex_t lists = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static void unlock(int *held) {
    (void)held;
    pthread_mutex_unlock(&lists);
}
void fake_lock(void) {
    pthread_mutex_lock(&lists);
}
void fake_unlock(void) {
    pthread_mutex_unlock(&lists);
}
#define ALONE __attribute__((cleanup(unlock), unused)) int held = pthread_mutex_lock(&lists)

void ompls_report_finding(void *device, const ompls_finding *finding) {
    (void)device, (void)finding; /* its images are not built for checks */
}

void ompls_register_module(ompls_module *registered) {
    fake_table = registered;
}

gpu *fake_current(void) {
    return depth > 0 ? stack[depth - 1] : NULL;
}

static int count(void) {
    const char *asked = getenv("OMPLS_FAKE_GPUS");
    int number = asked != NULL ? atoi(asked) : 1;
    return number < MAX_GPUS ? number : MAX_GPUS;
}

int fake_code(gpu *g, const ompls_error *err) {
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
    case 18: *value = getenv("OMPLS_FAKE_INTEGRATED") != NULL; break; /* INTEGRATED */
    case 19: *value = 1; break;              /* CAN_MAP_HOST_MEMORY */
    case 75: *value = 5; break;              /* COMPUTE_CAPABILITY_MAJOR */
    case 76: *value = 3; break;              /* COMPUTE_CAPABILITY_MINOR */
    default: *value = 0;
    }
    return SUCCESS;
}

API cuDevicePrimaryCtxRetain(void **context, int device) {
    ALONE;
    gpu *g = &gpus[device];
    ompls_error err = {0};
    if (g->references++ == 0) {
        g->number = device;
        if (fake_table->open(fake_table, device, (void **)&g->sim, &err) != 0) return g->references = 0, OUT_OF_MEMORY;
        g->arena = fake_open_arena(g->sim);
    }
    *context = g;
    return SUCCESS;
}

static void close_module(module *m) {
    m->sim->arena = NULL; /* borrowed */
    fake_table->close(m->sim);
    free(m->image);
}

API cuDevicePrimaryCtxRelease(int device) {
    ALONE;
    gpu *g = &gpus[device];
    if (g->references == 0) return INVALID_CONTEXT;
    if (--g->references > 0) return SUCCESS;
    for (int i = 0; i < g->nmodules; i++) close_module(&g->modules[i]);
    fake_table->close(g->sim);
    close(g->arena);
    memset(g, 0, sizeof *g);
    return SUCCESS;
}

#ifndef OLD /* a driver of CUDA 10.2 has the other name only */
API cuDevicePrimaryCtxRelease_v2(int device) {
    return cuDevicePrimaryCtxRelease(device);
}
#endif

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

API cuCtxSetCurrent(void *context) {
    if (depth == 0 && context != NULL) depth = 1;
    if (depth > 0) stack[depth - 1] = context;
    return SUCCESS;
}

API cuCtxGetDevice(int *device) {
    if (fake_current() == NULL) return INVALID_CONTEXT;
    *device = fake_current()->number;
    return SUCCESS;
}

API cuCtxSetLimit(int limit, size_t value) {
    const char *heap = getenv("OMPLS_DEVICE_HEAP"); /* cudasim reads it itself */
    return limit == 2 && heap != NULL && value == (size_t)atol(heap) << 20 ? SUCCESS : INVALID_VALUE;
}

API cuCtxSynchronize(void) {
    return fake_current() == NULL ? INVALID_CONTEXT : fake_current()->sticky;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

API cuDeviceTotalMem_v2(size_t *bytes, int device) {
    (void)device;
    *bytes = (size_t)4 << 30;
    return SUCCESS;
}

API cuMemGetInfo_v2(size_t *left, size_t *total) {
    gpu *g = fake_current();
    *total = g->sim->bytes;
    *left = g->sim->bytes - g->sim->in_use;
    return g->sticky;
}

int fake_tell(module *m, uint64_t address, uint64_t size, bool accessible) {
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
    ALONE;
    gpu *g = fake_current();
    ompls_error err = {0};
    if (g->sticky) return g->sticky;
    if (g->nblocks == MAX_BLOCKS || fake_table->alloc(g->sim, size, address, &err) != 0) return OUT_OF_MEMORY;
    g->blocks[g->nblocks].address = *address;
    g->blocks[g->nblocks++].size = size;
    for (int i = 0; i < g->nmodules; i++)
        if (fake_tell(&g->modules[i], *address, size, true) != 0) return LAUNCH_FAILED;
    return SUCCESS;
}

API cuMemFree_v2(uint64_t address) {
    ALONE;
    gpu *g = fake_current();
    ompls_error err = {0};
    if (g->sticky) return g->sticky;
    for (int i = 0; i < g->nblocks; i++) {
        if (g->blocks[i].address != address) continue;
        for (int k = 0; k < g->nmodules; k++) fake_tell(&g->modules[k], address, g->blocks[i].size, false);
        g->blocks[i] = g->blocks[--g->nblocks];
        return fake_table->free(g->sim, address, &err) != 0 ? INVALID_VALUE : SUCCESS;
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
    gpu *g = fake_current();
    ompls_error err = {0};
    if (g == NULL) return INVALID_CONTEXT;
    if (g->sticky) return g->sticky;
    sim_device *d = holder(g, &to);
    return d == NULL || fake_table->copy_in(d, to, from, size, &err) != 0 ? INVALID_VALUE : SUCCESS;
}

API cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size) {
    gpu *g = fake_current();
    ompls_error err = {0};
    if (g == NULL) return INVALID_CONTEXT;
    if (g->sticky) return g->sticky;
    sim_device *d = holder(g, &from);
    return d == NULL || fake_table->copy_out(d, to, from, size, &err) != 0 ? INVALID_VALUE : SUCCESS;
}

API cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t size) {
    gpu *g = fake_current();
    ompls_error err = {0};
    if (g->sticky) return g->sticky;
    return fake_table->copy_within(g->sim, to, from, size, &err) != 0 ? INVALID_VALUE : SUCCESS;
}

API cuMemcpyPeer(uint64_t to, void *to_context, uint64_t from, void *from_context, size_t size) {
    ompls_error err = {0};
    sim_device *d = holder(to_context, &to), *other = holder(from_context, &from);
    if (fake_current() == NULL || to_context == from_context) return INVALID_CONTEXT;
    return d == NULL || other == NULL || fake_table->copy_peer(d, to, other, from, size, &err) != 0 ? INVALID_VALUE : SUCCESS;
}

API cuMemHostAlloc(void **memory, size_t size, unsigned flags) {
    (void)flags;
    return (*memory = calloc(1, size)) != NULL ? SUCCESS : OUT_OF_MEMORY;
}

API cuMemFreeHost(void *memory) {
    free(memory);
    return SUCCESS;
}

/* --- memory of the host that is the GPU's, too: the same before and behind every kernel -------------------------------- */

typedef struct {
    char *host;
    size_t size;
    uint64_t address;
} registered;
static registered lent[64];
static int nlent;

static registered *lent_page(const char *host, size_t size) {
    for (int i = 0; i < nlent; i++)
        if ((uintptr_t)host >> 12 <= ((uintptr_t)lent[i].host + lent[i].size - 1) >> 12 &&
            (uintptr_t)lent[i].host >> 12 <= ((uintptr_t)host + size - 1) >> 12) return &lent[i];
    return NULL;
}

API cuMemHostRegister_v2(void *host, size_t size, unsigned flags) {
    ALONE;
    if (fake_current() == NULL) return INVALID_CONTEXT;
    if (flags != 2 || nlent == 64) return INVALID_VALUE;
    if (lent_page(host, size) != NULL) return ALREADY_REGISTERED;
    lent[nlent] = (registered){host, size, 0};
    int status = cuMemAlloc_v2(&lent[nlent].address, size);
    if (status == SUCCESS) nlent++;
    return status;
}

API cuMemHostGetDevicePointer_v2(uint64_t *address, void *host, unsigned flags) {
    ALONE;
    (void)flags;
    registered *r = lent_page(host, 1);
    if (r == NULL) return INVALID_VALUE;
    *address = r->address + (uint64_t)((char *)host - r->host);
    return SUCCESS;
}

API cuMemHostUnregister(void *host) {
    ALONE;
    registered *r = lent_page(host, 1);
    if (r == NULL || r->host != host) return NOT_REGISTERED;
    int status = cuMemFree_v2(r->address);
    *r = lent[--nlent];
    return status;
}

static void lent_to_gpu(void) {
    ALONE;
    for (int i = 0; i < nlent; i++) cuMemcpyHtoD_v2(lent[i].address, lent[i].host, lent[i].size);
}

void fake_behind_kernel(void) {
    ALONE;
    for (int i = 0; i < nlent; i++) cuMemcpyDtoH_v2(lent[i].host, lent[i].address, lent[i].size);
}

/* --- streams: what goes back to the host arrives when somebody waits for it, so who does not wait sees it -------------- */

typedef struct {
    void *to;
    uint64_t from;
    size_t size;
    gpu *owner;
} delayed;
typedef struct {
    pthread_mutex_t lock;
    delayed copy[64];
    int count;
} stream;

static int settle(stream *s) {
    int status = SUCCESS;
    if (s == NULL) return SUCCESS;
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < s->count && status == SUCCESS; i++) {
        ompls_error err = {0};
        uint64_t from = s->copy[i].from;
        sim_device *d = holder(s->copy[i].owner, &from);
        if (s->copy[i].owner->sticky) status = s->copy[i].owner->sticky;
        else if (d == NULL || fake_table->copy_out(d, s->copy[i].to, from, s->copy[i].size, &err) != 0) status = INVALID_VALUE;
    }
    s->count = 0;
    pthread_mutex_unlock(&s->lock);
    return status;
}

int fake_before_kernel(void *s) {
    int status = settle(s);
    lent_to_gpu();
    return status;
}

API cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t size, void *s) {
    if (fake_current() == NULL) return INVALID_CONTEXT;
    int status = settle(s);
    return status != SUCCESS ? status : cuMemcpyHtoD_v2(to, from, size);
}

API cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t size, void *of) {
    stream *s = of;
    if (fake_current() == NULL) return INVALID_CONTEXT;
    if (fake_current()->sticky) return fake_current()->sticky;
    if (s->count == 64 && settle(s) != SUCCESS) return INVALID_VALUE;
    pthread_mutex_lock(&s->lock);
    s->copy[s->count++] = (delayed){to, from, size, fake_current()};
    pthread_mutex_unlock(&s->lock);
    return SUCCESS;
}

API cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t size, void *s) {
    if (fake_current() == NULL) return INVALID_CONTEXT;
    int status = settle(s);
    return status != SUCCESS ? status : cuMemcpyDtoD_v2(to, from, size);
}

API cuMemsetD8_v2(uint64_t to, unsigned char value, size_t size) {
    gpu *g = fake_current();
    if (g->sticky) return g->sticky;
    memset(g->sim->arena + (to - g->sim->base), value, size);
    return SUCCESS;
}

API cuStreamCreate(void **out, unsigned flags) {
    (void)flags;
    stream *s = calloc(1, sizeof *s);
    if (s != NULL) pthread_mutex_init(&s->lock, NULL);
    return (*out = s) != NULL ? SUCCESS : OUT_OF_MEMORY;
}

API cuStreamSynchronize(void *s) {
    int status = settle(s);
    return fake_current() == NULL ? INVALID_CONTEXT : fake_current()->sticky ? fake_current()->sticky : status;
}

/* An event has a time, which is all that it needs: what goes to the GPU is there at once. */
API cuStreamWaitEvent(void *s, void *event, unsigned flags) {
    (void)flags;
    return s == NULL || event == NULL ? INVALID_VALUE : SUCCESS;
}

API cuStreamDestroy_v2(void *s) {
    settle(s);
    free(s);
    return SUCCESS;
}

API cuEventCreate(void **event, unsigned flags) {
    (void)flags;
    return (*event = calloc(1, sizeof(struct timespec))) != NULL ? SUCCESS : OUT_OF_MEMORY;
}

API cuEventRecord(void *event, void *s) {
    int status = settle(s);
    if (status != SUCCESS) return status;
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
