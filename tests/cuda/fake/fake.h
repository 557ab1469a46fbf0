/* fake.h -- what the two halves of the fake driver share: libcuda.c (GPUs, contexts, memory, time) and modules.c. */
#ifndef FAKE_H
#define FAKE_H
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../../ompls/devices/cudasim/library/host/sim.h"

#define API __attribute__((visibility("default"))) int
enum {
    SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_DEVICE = 101, INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201, ALREADY_REGISTERED = 712, NOT_REGISTERED = 713, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700, LAUNCH_OUT_OF_RESOURCES = 701, LAUNCH_FAILED = 719,
    NOT_SUPPORTED = 801
};
enum { MAX_GPUS = 8, MAX_MODULES = 256, MAX_BLOCKS = 1 << 16, MODULE_SHIFT = 48 };

typedef struct gpu gpu;
typedef struct {
    gpu *owner;
    sim_device *sim;
    void *loaded;
    char *image;
} module;
typedef struct {
    module *in;
    void *kernel;
    uint32_t nparams, *sizes, *aligns;
    char name[256];
} function;
struct gpu {
    int number, references;
    int sticky; /* the error that every call gets from now on */
    sim_device *sim;
    int arena; /* the file of its memory, which its modules' processes share */
    module modules[MAX_MODULES];
    int nmodules;
    struct {
        uint64_t address, size;
    } blocks[MAX_BLOCKS];
    int nblocks;
};

extern ompls_module *fake_table; /* cudasim's */
gpu *fake_current(void);
/* Around what changes a GPU's modules. */
void fake_lock(void);
void fake_unlock(void);
/* Give a device memory that others can share; the file that it lies in. */
int fake_open_arena(sim_device *d);
/* A module's process learns which pages it may touch. */
int fake_tell(module *m, uint64_t address, uint64_t size, bool accessible);
/* The driver's code for an error of the simulator; one that ends the process stays with the GPU. */
int fake_code(gpu *g, const ompls_error *err);
/* What was started before a kernel, in its stream, is done. */
int fake_before_kernel(void *stream);
/* What a kernel wrote to the host's memory is there. */
void fake_behind_kernel(void);
#endif
