/* image.h -- the image of the device `cuda` (image.py, which describes it) as the native module reads it. */
#ifndef OMPLS_CUDA_IMAGE_H
#define OMPLS_CUDA_IMAGE_H
#include <stdbool.h>
#include <stdint.h>

#include "../../../runtime/core/fail.h"

/* One kernel file, with the code that was chosen for a GPU. */
typedef struct {
    const char *begin, *end; /* its lines of the index */
    const char *kind;        /* "cubin" or "ptx" */
    const char *code;        /* a zero byte follows it */
    void *module;            /* once the driver has it */
} ompls_cuda_file;

/* The kernel files of an image, with the code for a GPU of that compute capability (MAJOR * 10 + MINOR): how many, or -1 and
   why.  The caller frees `*files`; what they point to is the image's. */
int ompls_cuda_files(const void *image, uint64_t size, int capability, ompls_cuda_file **files, ompls_error *err);
bool ompls_cuda_has_kernel(const ompls_cuda_file *file, const char *name);
/* The names of its kernels, with commas between them. */
void ompls_cuda_kernels(const ompls_cuda_file *file, char *text, size_t size);
#endif
