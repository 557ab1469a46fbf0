/* gpu.h -- one GPU of the native module, and what a host thread has started on it. */
#ifndef OMPLS_CUDA_GPU_H
#define OMPLS_CUDA_GPU_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "driver.h"
#include "image.h"

/* What one host thread has started: each has a stream, so that it waits for its own work only.  When the thread ends, another
   one may have it. */
typedef struct ompls_cuda_lane {
    struct ompls_cuda_lane *next;
    atomic_bool taken;
    void *stream, *event;
    void *buffer[2], *left[2]; /* pinned memory and when it is free again; 0 until a copy goes through it (staging.c) */
} ompls_cuda_lane;

typedef struct {
    uint64_t first; /* a variable's address in the first module that has it */
    uint64_t other; /* in one of the others */
} ompls_cuda_copy;

typedef struct {
    const ompls_cuda_driver *driver;
    int device;
    void *context;
    bool alone;         /* the only GPU: its context stays current in a thread that has used it */
    atomic_bool failed; /* with an error that stays */
    int capability;
    uint64_t staged; /* copies of so many bytes and more go through pinned memory */
    ompls_cuda_file *files;
    int nfiles;
    ompls_cuda_copy *copies; /* complete when the device is open */
    size_t ncopies;
    pthread_mutex_t lock; /* of the list of lanes */
    ompls_cuda_lane *lanes;
    pthread_key_t mine;
} ompls_cuda_gpu;

/* Makes the GPU's context current in this thread; every call of the driver stands between these two. */
void ompls_cuda_enter(ompls_cuda_gpu *gpu);
void ompls_cuda_leave(ompls_cuda_gpu *gpu);
/* What an error of the driver means, in the GPU's context: `format` says what was done.  Returns 1. */
__attribute__((format(printf, 5, 6))) int ompls_cuda_failed(ompls_cuda_gpu *gpu, const char *function, int status, ompls_error *err,
                                                            const char *format, ...);

/* Before any thread has one; an error's number as pthread_key_create gives it. */
int ompls_cuda_start_lanes(ompls_cuda_gpu *gpu);
/* The calling thread's, in the GPU's context; 0 and why. */
ompls_cuda_lane *ompls_cuda_my_lane(ompls_cuda_gpu *gpu, ompls_error *err);
/* In the GPU's context, when no thread is in a call. */
void ompls_cuda_drop_lanes(ompls_cuda_gpu *gpu);

/* Of the table (device.h). */
int ompls_cuda_load(void *device, const void *image, uint64_t size, void **loaded, ompls_error *err);
int ompls_cuda_find_kernel(void *device, void *loaded, const char *name, void **kernel, ompls_error *err);
int ompls_cuda_most_threads(void *device, void *kernel, uint32_t *out, ompls_error *err);
int ompls_cuda_find_symbol(void *device, void *loaded, const char *name, ompls_address *out, ompls_error *err);

/* Copies in pieces through pinned memory; in the GPU's context. */
uint64_t ompls_cuda_staged_from(void);
int ompls_cuda_staged_in(ompls_cuda_gpu *gpu, ompls_cuda_lane *lane, uint64_t to, const char *from, uint64_t size, ompls_error *err);
int ompls_cuda_staged_out(ompls_cuda_gpu *gpu, ompls_cuda_lane *lane, char *to, uint64_t from, uint64_t size, ompls_error *err);
#endif
