/* staging.c -- large copies through pinned memory, in pieces: the GPU copies one, the host fills the other (staging.py). */
#include "gpu.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 4 << 20, DISABLE_TIMING = 2 };

uint64_t ompls_cuda_staged_from(void) {
    const char *text = getenv("OMPLS_CUDA_STAGING");
    return text != NULL && text[0] != '\0' && strspn(text, "0123456789") == strlen(text) ? strtoull(text, NULL, 10) << 20 : UINT64_MAX;
}

static int make_buffers(ompls_cuda_gpu *gpu, ompls_cuda_lane *lane, ompls_error *err) {
    for (int i = 0; i < 2; i++) {
        int status = lane->buffer[i] != NULL ? 0 : gpu->driver->cuMemHostAlloc(&lane->buffer[i], PIECE, 0);
        if (status != 0) return ompls_cuda_failed(gpu, "cuMemHostAlloc", status, err, "making pinned buffers");
        status = lane->left[i] != NULL ? 0 : gpu->driver->cuEventCreate(&lane->left[i], DISABLE_TIMING);
        if (status != 0) return ompls_cuda_failed(gpu, "cuEventCreate", status, err, "making pinned buffers");
    }
    return 0;
}

int ompls_cuda_staged_in(ompls_cuda_gpu *gpu, ompls_cuda_lane *lane, uint64_t to, const char *from, uint64_t size, ompls_error *err) {
    const ompls_cuda_driver *driver = gpu->driver;
    if (make_buffers(gpu, lane, err) != 0) return 1;
    for (uint64_t at = 0, i = 0; at < size; at += PIECE, i = 1 - i) {
        uint64_t piece = size - at < PIECE ? size - at : PIECE;
        int status = driver->cuEventSynchronize(lane->left[i]); /* what was in the buffer has left it */
        if (status == 0) {
            memcpy(lane->buffer[i], from + at, piece);
            status = driver->cuMemcpyHtoDAsync(to + at, lane->buffer[i], piece, lane->stream);
        }
        if (status == 0) status = driver->cuEventRecord(lane->left[i], lane->stream);
        if (status != 0)
            return ompls_cuda_failed(gpu, "cuMemcpyHtoDAsync", status, err, "copying %llu bytes to the GPU", (unsigned long long)size);
    }
    return 0;
}

int ompls_cuda_staged_out(ompls_cuda_gpu *gpu, ompls_cuda_lane *lane, char *to, uint64_t from, uint64_t size, ompls_error *err) {
    const ompls_cuda_driver *driver = gpu->driver;
    if (make_buffers(gpu, lane, err) != 0) return 1;
    uint64_t arriving = 0;
    int status = 0;
    for (uint64_t at = 0, i = 0; status == 0 && arriving < size; i = 1 - i) {
        uint64_t piece = size - at < PIECE ? size - at : PIECE;
        if (piece > 0) {
            status = driver->cuMemcpyDtoHAsync(lane->buffer[i], from + at, piece, lane->stream);
            if (status == 0) status = driver->cuEventRecord(lane->left[i], lane->stream);
        }
        if (status == 0 && arriving < at) { /* the one before */
            status = driver->cuEventSynchronize(lane->left[1 - i]);
            uint64_t length = at - arriving;
            if (status == 0) memcpy(to + arriving, lane->buffer[1 - i], length);
            arriving += length;
        }
        at += piece;
    }
    if (status == 0) return 0;
    return ompls_cuda_failed(gpu, "cuMemcpyDtoHAsync", status, err, "copying %llu bytes from the GPU", (unsigned long long)size);
}
