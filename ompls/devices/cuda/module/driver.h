/* driver.h -- the functions of NVIDIA's driver that the native module calls, found in libcuda by name.

   Their types are those of cuda.h, of which nothing is needed to compile this: a context, a stream and the like are
   pointers, a device address is a number of 64 bits.  Each returns 0, or an error's number. */
#ifndef OMPLS_CUDA_DRIVER_H
#define OMPLS_CUDA_DRIVER_H
#include <stddef.h>
#include <stdint.h>

#include "../../../runtime/core/fail.h"

/* F(type of the arguments, our name, NVIDIA's name without a version, the names in the library from the newest on). */
#define OMPLS_CUDA_FUNCTIONS(F)                                                                                                \
    F((unsigned flags), cuInit, "cuInit")                                                                                      \
    F((int status, const char **text), cuGetErrorString, "cuGetErrorString")                                                   \
    F((int *number), cuDeviceGetCount, "cuDeviceGetCount")                                                                     \
    F((int *device, int index), cuDeviceGet, "cuDeviceGet")                                                                    \
    F((char *name, int size, int device), cuDeviceGetName, "cuDeviceGetName")                                                  \
    F((size_t *bytes, int device), cuDeviceTotalMem, "cuDeviceTotalMem_v2")                                                    \
    F((int *value, int attribute, int device), cuDeviceGetAttribute, "cuDeviceGetAttribute")                                   \
    F((void **context, int device), cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")                                      \
    F((int device), cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", "cuDevicePrimaryCtxRelease")                    \
    F((void *context), cuCtxSetCurrent, "cuCtxSetCurrent")                                                                     \
    F((void *context), cuCtxPushCurrent, "cuCtxPushCurrent_v2")                                                                \
    F((void **context), cuCtxPopCurrent, "cuCtxPopCurrent_v2")                                                                 \
    F((void), cuCtxSynchronize, "cuCtxSynchronize")                                                                            \
    F((int limit, size_t value), cuCtxSetLimit, "cuCtxSetLimit")                                                               \
    F((size_t *left, size_t *total), cuMemGetInfo, "cuMemGetInfo_v2")                                                          \
    F((uint64_t *address, size_t size), cuMemAlloc, "cuMemAlloc_v2")                                                           \
    F((uint64_t address), cuMemFree, "cuMemFree_v2")                                                                           \
    F((uint64_t to, const void *from, size_t size, void *stream), cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2")                   \
    F((void *to, uint64_t from, size_t size, void *stream), cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2")                         \
    F((uint64_t to, uint64_t from, size_t size, void *stream), cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2")                      \
    F((uint64_t to, void *to_context, uint64_t from, void *from_context, size_t size), cuMemcpyPeer, "cuMemcpyPeer")           \
    F((void **memory, size_t size, unsigned flags), cuMemHostAlloc, "cuMemHostAlloc")                                          \
    F((void *memory), cuMemFreeHost, "cuMemFreeHost")                                                                          \
    F((void *memory, size_t size, unsigned flags), cuMemHostRegister, "cuMemHostRegister_v2")                                  \
    F((uint64_t *address, void *memory, unsigned flags), cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2")            \
    F((void *memory), cuMemHostUnregister, "cuMemHostUnregister")                                                              \
    F((void **stream, unsigned flags), cuStreamCreate, "cuStreamCreate")                                                       \
    F((void *stream), cuStreamSynchronize, "cuStreamSynchronize")                                                              \
    F((void *stream, void *event, unsigned flags), cuStreamWaitEvent, "cuStreamWaitEvent")                                     \
    F((void *stream), cuStreamDestroy, "cuStreamDestroy_v2")                                                                   \
    F((void **event, unsigned flags), cuEventCreate, "cuEventCreate")                                                          \
    F((void *event, void *stream), cuEventRecord, "cuEventRecord")                                                             \
    F((void *event), cuEventSynchronize, "cuEventSynchronize")                                                                 \
    F((void *event), cuEventDestroy, "cuEventDestroy_v2")                                                                      \
    F((void **module, const void *code), cuModuleLoadData, "cuModuleLoadData")                                                 \
    F((void **function, void *module, const char *name), cuModuleGetFunction, "cuModuleGetFunction")                           \
    F((uint64_t *address, size_t *size, void *module, const char *name), cuModuleGetGlobal, "cuModuleGetGlobal_v2")            \
    F((int *value, int attribute, void *function), cuFuncGetAttribute, "cuFuncGetAttribute")                                   \
    F((void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, \
       unsigned shared_bytes, void *stream, void **params, void **extra), cuLaunchKernel, "cuLaunchKernel")

#define OMPLS_CUDA_MEMBER(arguments, name, ...) int(*name) arguments;
typedef struct {
    OMPLS_CUDA_FUNCTIONS(OMPLS_CUDA_MEMBER)
} ompls_cuda_driver;
#undef OMPLS_CUDA_MEMBER

enum { OMPLS_CUDA_OUT_OF_MEMORY = 2 };
/* Of cuDeviceGetAttribute, and the first of cuFuncGetAttribute. */
enum {
    OMPLS_CUDA_FUNCTION_MAX_THREADS = 0, OMPLS_CUDA_MAX_THREADS = 1, OMPLS_CUDA_MAX_GRID_X = 5, OMPLS_CUDA_MULTIPROCESSORS = 16,
    OMPLS_CUDA_INTEGRATED = 18, OMPLS_CUDA_CAN_MAP_HOST_MEMORY = 19, OMPLS_CUDA_MAJOR = 75, OMPLS_CUDA_MINOR = 76,
    OMPLS_CUDA_PAGEABLE_MEMORY_ACCESS = 88
};

/* The driver, once it was initialised and has a GPU; else 0, and why. */
const ompls_cuda_driver *ompls_cuda_find_driver(int *gpus, ompls_error *err);
/* "cuInit failed: no CUDA-capable device is detected" */
void ompls_cuda_tell(const ompls_cuda_driver *driver, const char *function, int status, char *text, size_t size);
#endif
