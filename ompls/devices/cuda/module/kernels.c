/* kernels.c -- the modules of a GPU: kernels and variables in them. */
#include "gpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WARP = 32 };

/* A module for every kernel file: linking GPU code costs speed. */
int ompls_cuda_load(void *device, const void *image, uint64_t size, void **loaded, ompls_error *err) {
    ompls_cuda_gpu *g = device;
    int failed = 0;
    g->nfiles = ompls_cuda_files(image, size, g->capability, &g->files, err);
    if (g->nfiles < 0) return 1;
    ompls_cuda_enter(g);
    for (int i = 0; i < g->nfiles && failed == 0; i++) {
        char kernels[160];
        int status = g->driver->cuModuleLoadData(&g->files[i].module, g->files[i].code);
        if (status == 0) continue;
        ompls_cuda_kernels(&g->files[i], kernels, sizeof kernels);
        failed = ompls_cuda_failed(g, "cuModuleLoadData", status, err, "loading %s for %s", g->files[i].kind, kernels);
    }
    ompls_cuda_leave(g);
    *loaded = g->files;
    return failed;
}

int ompls_cuda_find_kernel(void *device, void *loaded, const char *name, void **kernel, ompls_error *err) {
    ompls_cuda_gpu *g = device;
    ompls_cuda_file *files = loaded;
    for (int i = 0; i < g->nfiles; i++) {
        if (!ompls_cuda_has_kernel(&files[i], name)) continue;
        ompls_cuda_enter(g);
        int status = g->driver->cuModuleGetFunction(kernel, files[i].module, name);
        int failed = status != 0 ? ompls_cuda_failed(g, "cuModuleGetFunction", status, err, "kernel %s", name) : 0;
        ompls_cuda_leave(g);
        return failed;
    }
    return ompls_device_fail(err, "build the program again for `cuda`", "kernel %s is not in the image", name);
}

/* Of a block, in whole warps: OpenMP asks for "at most" so many. */
int ompls_cuda_most_threads(void *device, void *kernel, uint32_t *out, ompls_error *err) {
    ompls_cuda_gpu *g = device;
    int most = 0;
    ompls_cuda_enter(g);
    int status = g->driver->cuFuncGetAttribute(&most, OMPLS_CUDA_FUNCTION_MAX_THREADS, kernel);
    int failed = status != 0 ? ompls_cuda_failed(g, "cuFuncGetAttribute", status, err, "asking a kernel for its limits") : 0;
    ompls_cuda_leave(g);
    *out = most >= WARP ? (uint32_t)(most / WARP * WARP) : 1;
    return failed;
}

static bool remember_copy(ompls_cuda_gpu *g, uint64_t first, uint64_t other) {
    for (size_t i = 0; i < g->ncopies; i++)
        if (g->copies[i].other == other) return true; /* it was asked for before */
    ompls_cuda_copy *more = realloc(g->copies, (g->ncopies + 1) * sizeof *more);
    if (more == NULL) return false;
    more[g->ncopies++] = (ompls_cuda_copy){first, other};
    g->copies = more;
    return true;
}

/* The address in the first module that has it; what is copied there goes to all of them. */
int ompls_cuda_find_symbol(void *device, void *loaded, const char *name, ompls_address *out, ompls_error *err) {
    ompls_cuda_gpu *g = device;
    ompls_cuda_file *files = loaded;
    bool remembered = true;
    *out = 0;
    ompls_cuda_enter(g);
    for (int i = 0; i < g->nfiles; i++) {
        uint64_t address;
        size_t size;
        if (g->driver->cuModuleGetGlobal(&address, &size, files[i].module, name) != 0) continue; /* no kernel of that file uses it */
        if (*out == 0) *out = address;
        else remembered = remember_copy(g, *out, address) && remembered;
    }
    ompls_cuda_leave(g);
    if (!remembered) return ompls_device_fail(err, "close other programs", "finding %s: %s", name, strerror(ENOMEM));
    return *out != 0 ? 0 : ompls_device_fail(err, "build the program again for `cuda`", "%s is not in the image", name);
}
