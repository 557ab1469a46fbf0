/* sim.h -- the parts of the module `cudasim` in the program: ompls/devices/cudasim/module/cudasim.c (the table), memory.c,
   process.c. */
#ifndef OMPLS_SIM_H
#define OMPLS_SIM_H
#include <elf.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../../../runtime/core/blocks.h"
#include "../../../../runtime/core/fail.h"
#include "../../../../runtime/core/watched.h"
#include "../protocol.h"

/* These stand in the user's program: the names are ours only with the prefix. */
#define sim_symbols_of ompls_cudasim_symbols_of
#define sim_send ompls_cudasim_send
#define sim_start ompls_cudasim_start
#define sim_stop ompls_cudasim_stop
#define sim_make_memory ompls_cudasim_make_memory
#define sim_alloc ompls_cudasim_alloc
#define sim_free ompls_cudasim_free
#define sim_leave_out ompls_cudasim_leave_out
#define sim_copy_in ompls_cudasim_copy_in
#define sim_copy_out ompls_cudasim_copy_out
#define sim_copy_within ompls_cudasim_copy_within
#define sim_copy_peer ompls_cudasim_copy_peer
#define sim_attach ompls_cudasim_attach
#define sim_find_line ompls_cudasim_find_line
#define sim_keep_image ompls_cudasim_keep_image
#define sim_image_path ompls_cudasim_image_path
#define sim_drop_image ompls_cudasim_drop_image
#define sim_begin_checks ompls_cudasim_begin_checks
#define sim_report ompls_cudasim_report

typedef struct {
    int index;
    char *arena; /* the host's own mapping */
    uint64_t bytes, in_use;
    uint64_t base; /* the device's address of the arena */
    pthread_mutex_t memory, commands;
    ompls_blocks blocks;
    sim_control *control;
    const unsigned char *image; /* the embedded bytes: symbols are looked up here */
    uint64_t image_size;
    bool debugged; /* the image was built for debuggers */
    uint64_t architecture, max_shared, max_parameters; /* of the image: ompls/devices/cudasim/module */
    ompls_watched process; /* the device process, number 0 before it is started */
    pid_t owner;           /* who started it */
    int lost; /* OMPLS_LOST_…: the process has ended */
    bool checked;    /* the image was built for checks: then there are */
    uint32_t checks; /* SIM_CHECK_… */
    uint8_t *states; /* of the arena's bytes */
    uint64_t told[256]; /* what the checks have said already */
    uint32_t ntold;
    pthread_mutex_t queueing; /* taken before `memory` and `commands` */
    ompls_address queue;      /* memory for launch_all, and how much */
    uint64_t queue_bytes;
} sim_device;

static inline uint64_t sim_round_up(uint64_t value, uint64_t to) {
    return (value + to - 1) / to * to;
}

/* The symbol table of the image. */
typedef struct {
    const Elf64_Sym *of;
    uint64_t count;
    const char *names; /* where st_name counts from */
} sim_symbols;
sim_symbols sim_symbols_of(const sim_device *d);

/* process.c: start the image as the device process; end it; send the command that stands in the page (`commands` held). */
int sim_start(sim_device *d, ompls_error *err);
void sim_stop(sim_device *d);
int sim_send(sim_device *d, uint32_t command, ompls_error *err);

/* imagefile.c: put the image into a file with a name, if that is possible; its path, if it has one; remove it. */
void sim_keep_image(sim_device *d);
bool sim_image_path(const sim_device *d, char *path, size_t size);
void sim_drop_image(sim_device *d);

/* The user's line of a program counter: 0 when unknown, else `where` is its file without directories.  Slow. */
uint32_t sim_find_line(const sim_device *d, uint64_t pc, char *where, size_t size);

/* findings.c: before the process starts; after each launch, with `commands` held. */
int sim_begin_checks(sim_device *d, ompls_error *err);
void sim_report(sim_device *d, const ompls_launch_request *request);

/* memory.c */
bool sim_make_memory(sim_device *d);
int sim_alloc(void *device, uint64_t size, ompls_address *out, ompls_error *err);
int sim_free(void *device, ompls_address address, ompls_error *err);
void sim_leave_out(void *device, ompls_address address, uint64_t size);
int sim_copy_in(void *device, ompls_address to, const void *from, uint64_t size, ompls_error *err);
int sim_copy_out(void *device, void *to, ompls_address from, uint64_t size, ompls_error *err);
int sim_copy_within(void *device, ompls_address to, ompls_address from, uint64_t size, ompls_error *err);
int sim_copy_peer(void *device, ompls_address to, void *from_device, ompls_address from, uint64_t size, ompls_error *err);
int sim_attach(void *device, ompls_address at, ompls_address target, ompls_error *err);
#endif
