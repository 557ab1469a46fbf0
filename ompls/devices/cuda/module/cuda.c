/* cuda.c -- NVIDIA GPUs without Python: the native half of the device `cuda`, over libcuda alone.  gpu.py, with the same
   functions, is the other.

   Each GPU has its primary context, so that libraries of the program which use CUDA's run-time API share it.  CUDA's errors
   stay with a context once a kernel has failed: such an error ends the device. */
#include "gpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    GATHER = 1 << 16,  /* bytes: the driver copies that much from pageable memory without waiting; what is smaller is overhead */
    RESIDENT = 32,     /* teams that a processor has at once, at most: more of them would only join more parts of a reduction */
    DEVICE_MAPPED = 2, /* CU_MEMHOSTREGISTER_DEVICEMAP */
    MALLOC_HEAP_SIZE = 2 /* CU_LIMIT_MALLOC_HEAP_SIZE */
};

typedef ompls_cuda_gpu gpu;
typedef ompls_cuda_lane lane;

/* --- contexts and errors ---------------------------------------------------------------------------------------------- */

static _Thread_local const gpu *current; /* whose context was made current for good */

void ompls_cuda_enter(gpu *g) {
    /* Other GPUs' contexts, and whose is current, are the program's business, too. */
    if (!g->alone) g->driver->cuCtxPushCurrent(g->context);
    else if (current != g) g->driver->cuCtxSetCurrent(g->context), current = g;
}

void ompls_cuda_leave(gpu *g) {
    void *context;
    if (!g->alone) g->driver->cuCtxPopCurrent(&context);
}

int ompls_cuda_failed(gpu *g, const char *function, int status, ompls_error *err, const char *format, ...) {
    char what[256], text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (g->driver->cuCtxSynchronize() != 0) g->failed = true; /* an error that stays */
    ompls_cuda_tell(g->driver, function, status, text, sizeof text);
    if (g->failed) {
        err->fatal = OMPLS_LOST_NOW;
        return ompls_device_fail(err, "run it with --device cudasim to see the address and the line", "%s: %s", what, text);
    }
    size_t left = 0, total = 0;
    if (status != OMPLS_CUDA_OUT_OF_MEMORY || g->driver->cuMemGetInfo(&left, &total) != 0)
        return ompls_device_fail(err, "see the limits of the GPU: `nvidia-smi -q`", "%s: %s", what, text);
    return ompls_device_fail(err, "map less at a time, or end what else uses the GPU", "%s: out of device memory: %zu of %zu bytes in use",
                             what, total - left, total);
}

/* --- GPUs --------------------------------------------------------------------------------------------------------------- */

static int cuda_probe(ompls_module *self, int wanted, ompls_error *err) {
    (void)self, (void)wanted;
    int gpus = 0;
    return ompls_cuda_find_driver(&gpus, err) != NULL ? gpus : 0;
}

static int attribute(const gpu *g, int number) {
    int value = 0;
    return g->driver->cuDeviceGetAttribute(&value, number, g->device) == 0 ? value : 0;
}

/* MiB for `malloc` in kernels; 0: as many as CUDA gives. */
static size_t asked_heap(void) {
    const char *text = getenv("OMPLS_DEVICE_HEAP");
    return text != NULL && strspn(text, "0123456789") == strlen(text) ? strtoull(text, NULL, 10) : 0;
}

static int set_heap(gpu *g, ompls_error *err) {
    size_t heap = asked_heap();
    if (heap == 0) return 0;
    ompls_cuda_enter(g);
    int status = g->driver->cuCtxSetLimit(MALLOC_HEAP_SIZE, heap << 20);
    int failed = status != 0 ? ompls_cuda_failed(g, "cuCtxSetLimit", status, err, "making the heap of kernels") : 0;
    ompls_cuda_leave(g);
    return failed;
}

static int cuda_open(ompls_module *self, int index, void **device, ompls_error *err) {
    (void)self;
    int gpus = 0;
    const ompls_cuda_driver *driver = ompls_cuda_find_driver(&gpus, err);
    if (driver == NULL) return 1;
    gpu *g = calloc(1, sizeof *g);
    if (g == NULL) return ompls_device_fail(err, "close other programs", "GPU %d: %s", index, strerror(errno));
    g->driver = driver;
    g->alone = gpus == 1;
    g->staged = ompls_cuda_staged_from();
    const char *function = "cuDeviceGet";
    int status = driver->cuDeviceGet(&g->device, index);
    if (status == 0) function = "cuDevicePrimaryCtxRetain", status = driver->cuDevicePrimaryCtxRetain(&g->context, g->device);
    if (status != 0) {
        char text[256];
        ompls_cuda_tell(driver, function, status, text, sizeof text);
        free(g);
        return ompls_device_fail(err, "see what nvidia-smi says", "GPU %d: %s", index, text);
    }
    g->capability = attribute(g, OMPLS_CUDA_MAJOR) * 10 + attribute(g, OMPLS_CUDA_MINOR);
    pthread_mutex_init(&g->lock, NULL);
    int keyed = ompls_cuda_start_lanes(g);
    if (keyed == 0 && set_heap(g, err) == 0) return *device = g, 0;
    if (keyed != 0) ompls_device_fail(err, "use fewer devices", "GPU %d: %s", index, strerror(keyed));
    else pthread_key_delete(g->mine);
    driver->cuDevicePrimaryCtxRelease(g->device);
    return free(g), 1;
}

static void cuda_close(void *device) {
    gpu *g = device;
    if (g->failed) return; /* what belongs to a failed context is left to the end of the process */
    ompls_cuda_enter(g);
    ompls_cuda_drop_lanes(g); /* streams end in the context that is current */
    ompls_cuda_leave(g);
    if (current == g) g->driver->cuCtxSetCurrent(NULL), current = NULL;
    g->driver->cuDevicePrimaryCtxRelease(g->device); /* with modules and memory; what is ours stays: other threads may have it */
}

/* Whether kernels use the host's arrays where they are: what OMPLS_CUDA_LEND says, else on integrated GPUs. */
static bool lends(const gpu *g) {
    const char *asked = getenv("OMPLS_CUDA_LEND");
    if (!attribute(g, OMPLS_CUDA_CAN_MAP_HOST_MEMORY)) return false;
    if (asked != NULL && (strcmp(asked, "0") == 0 || strcmp(asked, "1") == 0)) return asked[0] == '1';
    return attribute(g, OMPLS_CUDA_INTEGRATED) != 0;
}

static int cuda_properties(void *device, ompls_properties *out, ompls_error *err) {
    (void)err;
    gpu *g = device;
    char name[80] = "";
    size_t memory = 0;
    uint32_t processors = (uint32_t)attribute(g, OMPLS_CUDA_MULTIPROCESSORS);
    g->driver->cuDeviceGetName(name, sizeof name, g->device);
    g->driver->cuDeviceTotalMem(&memory, g->device);
    *out = (ompls_properties){
        .memory = memory, .max_threads = (uint32_t)attribute(g, OMPLS_CUDA_MAX_THREADS),
        .max_teams = (uint32_t)attribute(g, OMPLS_CUDA_MAX_GRID_X), .default_threads = 128,
        .default_teams = processors, .many_teams = RESIDENT * processors,
        .shares_host_memory = attribute(g, OMPLS_CUDA_PAGEABLE_MEMORY_ACCESS) != 0, .gather = GATHER, .lend = lends(g) ? GATHER : 0};
    snprintf(out->name, sizeof out->name, "%s (compute capability %d.%d)", name, g->capability / 10, g->capability % 10);
    return 0;
}

/* --- memory ------------------------------------------------------------------------------------------------------------- */

static int cuda_alloc(void *device, uint64_t size, ompls_address *out, ompls_error *err) {
    gpu *g = device;
    ompls_cuda_enter(g);
    int status = g->driver->cuMemAlloc(out, size > 0 ? size : 1);
    int failed = status != 0 ? ompls_cuda_failed(g, "cuMemAlloc", status, err, "allocating %llu bytes", (unsigned long long)size) : 0;
    ompls_cuda_leave(g);
    return failed;
}

static int cuda_free(void *device, ompls_address address, ompls_error *err) {
    gpu *g = device;
    ompls_cuda_enter(g);
    int status = g->driver->cuMemFree(address);
    int failed = status != 0 ? ompls_cuda_failed(g, "cuMemFree", status, err, "freeing %#llx", (unsigned long long)address) : 0;
    ompls_cuda_leave(g);
    return failed;
}

static int start_in(gpu *g, uint64_t to, const void *from, uint64_t size, ompls_error *err) {
    lane *mine = ompls_cuda_my_lane(g, err);
    if (mine == NULL) return 1;
    if (size >= g->staged) return ompls_cuda_staged_in(g, mine, to, from, size, err);
    int status = g->driver->cuMemcpyHtoDAsync(to, from, size, mine->stream);
    if (status == 0) return 0;
    return ompls_cuda_failed(g, "cuMemcpyHtoDAsync", status, err, "copying %llu bytes to the GPU", (unsigned long long)size);
}

static int start_out(gpu *g, void *to, uint64_t from, uint64_t size, ompls_error *err) {
    lane *mine = ompls_cuda_my_lane(g, err);
    if (mine == NULL) return 1;
    if (size >= g->staged) return ompls_cuda_staged_out(g, mine, to, from, size, err);
    int status = g->driver->cuMemcpyDtoHAsync(to, from, size, mine->stream);
    if (status == 0) return 0;
    return ompls_cuda_failed(g, "cuMemcpyDtoHAsync", status, err, "copying %llu bytes from the GPU", (unsigned long long)size);
}

static int wait_here(gpu *g, ompls_error *err) {
    lane *mine = ompls_cuda_my_lane(g, err);
    if (mine == NULL) return 1;
    int status = g->driver->cuStreamSynchronize(mine->stream);
    return status != 0 ? ompls_cuda_failed(g, "cuStreamSynchronize", status, err, "a kernel or a copy failed") : 0;
}

/* To an address, and when a variable of the image begins there, to it in all modules. */
static int start_in_all(gpu *g, uint64_t to, const void *from, uint64_t size, ompls_error *err) {
    int failed = start_in(g, to, from, size, err);
    for (size_t i = 0; i < g->ncopies && failed == 0; i++)
        if (g->copies[i].first == to) failed = start_in(g, g->copies[i].other, from, size, err);
    return failed;
}

static int cuda_start_in(void *device, ompls_address to, const void *from, uint64_t size, ompls_error *err) {
    gpu *g = device;
    ompls_cuda_enter(g);
    int failed = start_in(g, to, from, size, err);
    ompls_cuda_leave(g);
    return failed;
}

static int cuda_start_out(void *device, void *to, ompls_address from, uint64_t size, ompls_error *err) {
    gpu *g = device;
    ompls_cuda_enter(g);
    int failed = start_out(g, to, from, size, err);
    ompls_cuda_leave(g);
    return failed;
}

static int cuda_copy_in(void *device, ompls_address to, const void *from, uint64_t size, ompls_error *err) {
    gpu *g = device;
    ompls_cuda_enter(g);
    int failed = start_in_all(g, to, from, size, err) != 0 || wait_here(g, err) != 0;
    ompls_cuda_leave(g);
    return failed;
}

static int cuda_copy_out(void *device, void *to, ompls_address from, uint64_t size, ompls_error *err) {
    gpu *g = device;
    ompls_cuda_enter(g);
    int failed = start_out(g, to, from, size, err) != 0 || wait_here(g, err) != 0;
    ompls_cuda_leave(g);
    return failed;
}

static int cuda_attach(void *device, ompls_address at, ompls_address target, ompls_error *err) {
    gpu *g = device;
    ompls_cuda_enter(g);
    int failed = start_in_all(g, at, &target, sizeof target, err);
    ompls_cuda_leave(g);
    return failed;
}

static int copy_within(gpu *g, uint64_t to, uint64_t from, uint64_t size, ompls_error *err) {
    lane *mine = ompls_cuda_my_lane(g, err);
    if (mine == NULL) return 1;
    int status = g->driver->cuMemcpyDtoDAsync(to, from, size, mine->stream);
    if (status == 0) return wait_here(g, err);
    return ompls_cuda_failed(g, "cuMemcpyDtoDAsync", status, err, "copying %llu bytes on the GPU", (unsigned long long)size);
}

static int cuda_copy_within(void *device, ompls_address to, ompls_address from, uint64_t size, ompls_error *err) {
    gpu *g = device;
    ompls_cuda_enter(g);
    int failed = copy_within(g, to, from, size, err);
    ompls_cuda_leave(g);
    return failed;
}

static int cuda_copy_peer(void *device, ompls_address to, void *from_device, ompls_address from, uint64_t size, ompls_error *err) {
    gpu *g = device, *other = from_device;
    ompls_cuda_enter(g);
    int status = g->driver->cuMemcpyPeer(to, g->context, from, other->context, size), failed = 0;
    if (status != 0) failed = ompls_cuda_failed(g, "cuMemcpyPeer", status, err, "copying %llu bytes from another GPU", (unsigned long long)size);
    ompls_cuda_leave(g);
    return failed;
}

static int cuda_take_back(void *device, const void *host, ompls_error *err) {
    (void)err;
    gpu *g = device;
    ompls_cuda_enter(g);
    g->driver->cuMemHostUnregister((void *)(uintptr_t)host);
    ompls_cuda_leave(g);
    return 0;
}

/* 0 when the driver does not take the host's bytes: memory that cannot be written to, a page that is lent already, a board before
   compute capability 7.2. */
static int cuda_lend(void *device, const void *host, uint64_t size, ompls_address *out, ompls_error *err) {
    gpu *g = device;
    void *memory = (void *)(uintptr_t)host;
    ompls_cuda_enter(g);
    bool lent = g->driver->cuMemHostRegister(memory, size, DEVICE_MAPPED) == 0;
    bool found = lent && g->driver->cuMemHostGetDevicePointer(out, memory, 0) == 0;
    ompls_cuda_leave(g);
    if (!found) *out = 0;
    return lent && !found ? cuda_take_back(device, host, err) : 0;
}

/* --- work --------------------------------------------------------------------------------------------------------------- */

static int cuda_launch(void *device, void *kernel, const ompls_launch_request *request, ompls_error *err) {
    gpu *g = device;
    const uint32_t *grid = request->grid, *block = request->block;
    void **params = (void **)(uintptr_t)request->params; /* their sizes and places are in the kernel's code */
    int failed = 1;
    ompls_cuda_enter(g);
    lane *mine = ompls_cuda_my_lane(g, err);
    if (mine != NULL) {
        int status = g->driver->cuLaunchKernel(kernel, grid[0], grid[1], grid[2], block[0], block[1], block[2], request->shared_bytes,
                                               mine->stream, params, NULL);
        failed = status == 0 ? 0
                             : ompls_cuda_failed(g, "cuLaunchKernel", status, err, "launching %s with (%u, %u, %u) x (%u, %u, %u) threads",
                                                 request->name, grid[0], grid[1], grid[2], block[0], block[1], block[2]);
    }
    ompls_cuda_leave(g);
    return failed;
}

static int cuda_synchronize(void *device, ompls_error *err) {
    gpu *g = device;
    ompls_cuda_enter(g);
    int failed = wait_here(g, err);
    ompls_cuda_leave(g);
    return failed;
}

static int cuda_mark(void *device, uint64_t *mark, ompls_error *err) {
    gpu *g = device;
    ompls_cuda_enter(g);
    lane *mine = ompls_cuda_my_lane(g, err);
    int status = mine != NULL ? g->driver->cuEventRecord(mine->event, mine->stream) : 0;
    if (status != 0) ompls_cuda_failed(g, "cuEventRecord", status, err, "recording an event");
    ompls_cuda_leave(g);
    *mark = (uint64_t)(uintptr_t)mine;
    return mine == NULL || status != 0;
}

static int cuda_follow(void *device, uint64_t mark, ompls_error *err) {
    gpu *g = device;
    const lane *other = (const lane *)(uintptr_t)mark;
    ompls_cuda_enter(g);
    lane *mine = ompls_cuda_my_lane(g, err);
    int status = mine != NULL && mine != other ? g->driver->cuStreamWaitEvent(mine->stream, other->event, 0) : 0;
    if (status != 0) ompls_cuda_failed(g, "cuStreamWaitEvent", status, err, "waiting for an event");
    ompls_cuda_leave(g);
    return mine == NULL || status != 0;
}

static ompls_module module = {
    .abi = OMPLS_MODULE_ABI, .name = "cuda", .kind = "gpu", .image_class = "cuda", .probe = cuda_probe, .open = cuda_open, .close = cuda_close,
    .properties = cuda_properties, .alloc = cuda_alloc, .free = cuda_free, .copy_in = cuda_copy_in, .copy_out = cuda_copy_out,
    .copy_within = cuda_copy_within, .load = ompls_cuda_load, .find_kernel = ompls_cuda_find_kernel, .find_symbol = ompls_cuda_find_symbol,
    .launch = cuda_launch, .synchronize = cuda_synchronize, .start_in = cuda_start_in, .start_out = cuda_start_out, .mark = cuda_mark,
    .follow = cuda_follow, .lend = cuda_lend, .take_back = cuda_take_back, .attach = cuda_attach, .copy_peer = cuda_copy_peer,
    .most_threads = ompls_cuda_most_threads,
};

__attribute__((constructor)) static void announce(void) {
    ompls_register_module(&module);
}
