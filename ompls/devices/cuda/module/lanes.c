/* lanes.c -- the streams of a GPU's threads. */
#include "gpu.h"

#include <stdlib.h>

enum { DISABLE_TIMING = 2 }; /* CU_EVENT_DISABLE_TIMING */

/* A thread ends. */
static void give_back(void *lane) {
    atomic_store(&((ompls_cuda_lane *)lane)->taken, false);
}

static ompls_cuda_lane *make(ompls_cuda_gpu *gpu, ompls_error *err) {
    ompls_cuda_lane *lane = calloc(1, sizeof *lane);
    if (lane == NULL) return ompls_device_fail(err, "close other programs", "making a stream: out of memory"), NULL;
    int status = gpu->driver->cuStreamCreate(&lane->stream, 0);
    if (status != 0) return ompls_cuda_failed(gpu, "cuStreamCreate", status, err, "making a stream"), free(lane), NULL;
    status = gpu->driver->cuEventCreate(&lane->event, DISABLE_TIMING);
    if (status != 0) {
        ompls_cuda_failed(gpu, "cuEventCreate", status, err, "making an event");
        gpu->driver->cuStreamDestroy(lane->stream);
        return free(lane), NULL;
    }
    lane->taken = true;
    return lane;
}

/* One whose thread has ended, or a new one. */
static ompls_cuda_lane *take(ompls_cuda_gpu *gpu, ompls_error *err) {
    for (ompls_cuda_lane *lane = gpu->lanes; lane != NULL; lane = lane->next)
        if (!atomic_exchange(&lane->taken, true)) return lane;
    ompls_cuda_lane *made = make(gpu, err);
    if (made == NULL) return NULL;
    made->next = gpu->lanes;
    return gpu->lanes = made;
}

int ompls_cuda_start_lanes(ompls_cuda_gpu *gpu) {
    return pthread_key_create(&gpu->mine, give_back);
}

ompls_cuda_lane *ompls_cuda_my_lane(ompls_cuda_gpu *gpu, ompls_error *err) {
    ompls_cuda_lane *lane = pthread_getspecific(gpu->mine);
    if (lane != NULL) return lane;
    pthread_mutex_lock(&gpu->lock);
    lane = take(gpu, err);
    pthread_mutex_unlock(&gpu->lock);
    if (lane != NULL) pthread_setspecific(gpu->mine, lane);
    return lane;
}

void ompls_cuda_drop_lanes(ompls_cuda_gpu *gpu) {
    pthread_key_delete(gpu->mine);
    for (ompls_cuda_lane *lane = gpu->lanes; lane != NULL; lane = lane->next) {
        gpu->driver->cuStreamDestroy(lane->stream);
        gpu->driver->cuEventDestroy(lane->event);
        for (int i = 0; i < 2; i++) {
            if (lane->left[i] != NULL) gpu->driver->cuEventDestroy(lane->left[i]);
            if (lane->buffer[i] != NULL) gpu->driver->cuMemFreeHost(lane->buffer[i]);
        }
    }
    /* Not freed: a thread that ends just now may still give its lane back. */
}
