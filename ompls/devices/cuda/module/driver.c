/* driver.c -- finds libcuda while the program runs: it is built, linked and started without one. */
#include "driver.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

enum { MOST_NAMES = 2 };

static ompls_cuda_driver driver;

#define NAMES(arguments, name, ...) {#name, {__VA_ARGS__}},
static const struct {
    const char *name, *symbols[MOST_NAMES];
} functions[] = {OMPLS_CUDA_FUNCTIONS(NAMES)};
#undef NAMES
_Static_assert(sizeof driver == sizeof functions / sizeof *functions * sizeof(void *), "each function has its names");

/* The name of a function that is not there, or 0. */
static const char *look_up(void *library) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = NULL;
        for (int k = 0; k < MOST_NAMES && found == NULL && functions[i].symbols[k] != NULL; k++)
            found = dlsym(library, functions[i].symbols[k]);
        if (found == NULL) return functions[i].name;
        memcpy((char *)&driver + i * sizeof found, &found, sizeof found); /* what dlsym gives is an object pointer to ISO C */
    }
    return NULL;
}

void ompls_cuda_tell(const ompls_cuda_driver *of, const char *function, int status, char *text, size_t size) {
    const char *words = NULL;
    if (of->cuGetErrorString(status, &words) != 0 || words == NULL) words = "unknown error";
    snprintf(text, size, "%s failed: %s", function, words);
}

static int fail_by(ompls_error *err, const char *function, int status) {
    char text[256];
    ompls_cuda_tell(&driver, function, status, text, sizeof text);
    return ompls_device_fail(err, "see what nvidia-smi says", "the driver says: %s", text);
}

static int initialise(int *gpus, ompls_error *err) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == NULL)
        return ompls_device_fail(err, "install the driver, or use the device `cudasim`", "there is no NVIDIA driver (%s)", dlerror());
    const char *missing = look_up(library);
    if (missing != NULL)
        return ompls_device_fail(err, "install a driver of CUDA 10.2 or later", "the NVIDIA driver has no %s", missing);
    int status = driver.cuInit(0);
    if (status != 0) return fail_by(err, "cuInit", status);
    status = driver.cuDeviceGetCount(gpus);
    if (status != 0) return fail_by(err, "cuDeviceGetCount", status);
    if (*gpus == 0) return ompls_device_fail(err, "see what nvidia-smi and CUDA_VISIBLE_DEVICES say", "there is no GPU");
    return 0;
}

const ompls_cuda_driver *ompls_cuda_find_driver(int *gpus, ompls_error *err) {
    return initialise(gpus, err) == 0 ? &driver : NULL;
}
