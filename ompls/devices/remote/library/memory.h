/* memory.h -- the device's memory as the program names it: real addresses in an arena, or handles (wire.h). */
#ifndef OMPLS_FAR_MEMORY_H
#define OMPLS_FAR_MEMORY_H
#include "far.h"

#include <stdbool.h>

enum { OMPLS_MOST_FREED = 8 };

typedef struct {
    ompls_module *module;
    void *device;
    uint64_t first, last;   /* of the arena; 0: there is none */
    ompls_address *slots;   /* what handle i (from 1 on) stands for; 0: nothing */
    uint64_t nslots;
    struct {
        uint64_t address, size;
    } freed[OMPLS_MOST_FREED]; /* small, in the arena, and not closed yet */
    uint32_t nfreed;
    const void *object;     /* what the image's variables are part of; 0: none is known */
} far_memory;

/* Reserve the arena, if kernels of the device use this process's memory and its addresses are free. */
bool ompls_far_reserve(far_memory *memory, uint64_t first, uint64_t size);

/* An address of the program, in the device's words.  What is none is handed on: who uses it says so. */
ompls_address ompls_far_address(const far_memory *memory, ompls_address named);

int ompls_far_alloc(far_memory *memory, ompls_address named, uint64_t size, ompls_error *err);
int ompls_far_free(far_memory *memory, ompls_address named, uint64_t size, ompls_error *err);
/* What has been freed is closed, before anything can touch it.  What is freed and allocated at once is not, as that takes long. */
int ompls_far_close(far_memory *memory, ompls_error *err);
/* `named` stands for a variable of the image from now on; `*out`: how the program shall name it. */
int ompls_far_bind(far_memory *memory, ompls_address named, ompls_address variable, ompls_address *out, ompls_error *err);
/* Whether these may be bytes of the device's: allocated, or of a variable.  What is not may be a host address by mistake, at
   which this process has something else. */
bool ompls_far_known(const far_memory *memory, ompls_address named, uint64_t size, ompls_error *err);
/* Whether a line may write to these bytes, and read them, itself. */
bool ompls_far_direct(const far_memory *memory, ompls_address named, uint64_t size);
#endif
