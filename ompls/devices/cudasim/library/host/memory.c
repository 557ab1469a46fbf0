/* memory.c -- the memory of a simulated device: an arena that program and device process share, and copies.

   The arena is mapped here at some address and in the process at the device's own, so a copy is a memcpy.  Allocations end
   where their pages end and are followed by a page that nothing may touch, so that a kernel's step beyond is a fault. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "sim.h"

enum { PAGE = 4096, ALIGNMENT = 256 /* what cudaMalloc promises */ };

bool sim_make_memory(sim_device *d) {
    return ompls_make_blocks(&d->blocks, PAGE, d->bytes - PAGE);
}

/* For the checks: what the bytes from this offset of the arena on are now. */
static void mark(sim_device *d, uint64_t offset, uint64_t size, int state) {
    if (d->states != NULL) memset(d->states + offset, state, size);
}

/* Tell the process which pages may be touched.  It learns with the next command. */
static int note(sim_device *d, const ompls_block *b, bool accessible, ompls_error *err) {
    int status = 0;
    if (d->process.number == 0 || d->lost != 0) return 0;
    pthread_mutex_lock(&d->commands);
    sim_control *control = d->control;
    if (control->nprotections == sizeof control->protections / sizeof *control->protections) status = sim_send(d, SIM_NOTHING, err);
    if (status == 0)
        control->protections[control->nprotections++] =
            (sim_protection){.offset = b->offset, .size = b->size - PAGE, .accessible = accessible};
    pthread_mutex_unlock(&d->commands);
    return d->lost == OMPLS_LOST_IDLE ? 0 : status;
}

int sim_alloc(void *handle, uint64_t size, ompls_address *out, ompls_error *err) {
    sim_device *d = handle;
    uint64_t asked = sim_round_up(size == 0 ? 1 : size, ALIGNMENT), pages = sim_round_up(asked, PAGE) + PAGE;
    pthread_mutex_lock(&d->memory);
    ompls_block *best = size <= d->bytes ? ompls_take_block(&d->blocks, pages) : NULL;
    if (best == NULL) {
        uint64_t used = d->in_use;
        pthread_mutex_unlock(&d->memory);
        return ompls_device_fail(err, "map less at a time, or set OMPLS_CUDASIM_MEMORY (MiB)",
                    "out of device memory: %llu bytes asked for, %llu of %llu in use", (unsigned long long)size,
                    (unsigned long long)used, (unsigned long long)d->bytes);
    }
    best->start = best->offset + best->size - PAGE - asked;
    d->in_use += best->size;
    *out = d->base + best->start;
    mark(d, best->offset, best->size, SIM_STATE_NONE);
    mark(d, best->start, size, SIM_STATE_ALLOCATED);
    int status = note(d, best, true, err);
    pthread_mutex_unlock(&d->memory);
    return status;
}

void sim_leave_out(void *handle, ompls_address address, uint64_t size) {
    sim_device *d = handle;
    mark(d, address - d->base, size, SIM_STATE_LEFT_OUT);
}

int sim_free(void *handle, ompls_address address, ompls_error *err) {
    enum { WORTH_GIVING_BACK = 16 << 20 };
    sim_device *d = handle;
    pthread_mutex_lock(&d->memory);
    ompls_block *b = ompls_find_block(&d->blocks, address - d->base);
    if (b == NULL || d->base + b->start != address) {
        pthread_mutex_unlock(&d->memory);
        return ompls_device_fail(err, "free what was allocated, once", "freeing %#llx: no allocation begins there", (unsigned long long)address);
    }
    int status = note(d, b, false, err);
    mark(d, b->start, b->offset + b->size - PAGE - b->start, SIM_STATE_FREED);
    d->in_use -= b->size;
    if (b->size >= WORTH_GIVING_BACK) madvise(d->arena + b->offset, b->size, MADV_REMOVE);
    ompls_give_block(&d->blocks, b);
    pthread_mutex_unlock(&d->memory);
    return status;
}

static bool in_arena(const sim_device *d, ompls_address address, uint64_t size) {
    return address >= d->base && size <= d->bytes && address - d->base <= d->bytes - size;
}

/* Copy from or to a variable of the image: through the process, by pieces. */
static int copy_image(sim_device *d, ompls_address address, void *to, const void *from, uint64_t size, ompls_error *err) {
    int status = 0;
    if (d->process.number == 0 || address < SIM_IMAGE_BASE || address + size > SIM_IMAGE_BASE + SIM_IMAGE_SIZE)
        return ompls_device_fail(err, "use addresses of this device", "%#llx is not an address of this device", (unsigned long long)address);
    pthread_mutex_lock(&d->commands);
    for (uint64_t done = 0; done < size && status == 0;) {
        uint64_t part = size - done < sizeof d->control->staging ? size - done : sizeof d->control->staging;
        d->control->address = address + done;
        d->control->length = part;
        if (from != NULL) memcpy(d->control->staging, (const char *)from + done, part);
        status = sim_send(d, from != NULL ? SIM_WRITE : SIM_READ, err);
        if (to != NULL && status == 0) memcpy((char *)to + done, d->control->staging, part);
        done += part;
    }
    pthread_mutex_unlock(&d->commands);
    if (from != NULL && d->lost == OMPLS_LOST_IDLE) return 0; /* nobody will read it */
    return status;
}

int sim_copy_in(void *handle, ompls_address to, const void *from, uint64_t size, ompls_error *err) {
    sim_device *d = handle;
    if (!in_arena(d, to, size)) return copy_image(d, to, NULL, from, size, err);
    memcpy(d->arena + (to - d->base), from, size);
    mark(d, to - d->base, size, SIM_STATE_WRITTEN);
    return 0;
}

int sim_copy_out(void *handle, void *to, ompls_address from, uint64_t size, ompls_error *err) {
    sim_device *d = handle;
    if (!in_arena(d, from, size)) return copy_image(d, from, to, NULL, size, err);
    memcpy(to, d->arena + (from - d->base), size);
    return 0;
}

int sim_copy_within(void *handle, ompls_address to, ompls_address from, uint64_t size, ompls_error *err) {
    sim_device *d = handle;
    if (in_arena(d, from, size) && in_arena(d, to, size)) {
        memmove(d->arena + (to - d->base), d->arena + (from - d->base), size);
        mark(d, to - d->base, size, SIM_STATE_WRITTEN);
        return 0;
    }
    if (in_arena(d, from, size)) return sim_copy_in(d, to, d->arena + (from - d->base), size, err);
    if (in_arena(d, to, size)) return sim_copy_out(d, d->arena + (to - d->base), from, size, err);
    return ompls_device_fail(err, "copy through the host", "copying between two variables of the image");
}

/* The other device's memory is mapped here, too. */
int sim_copy_peer(void *handle, ompls_address to, void *from_device, ompls_address from, uint64_t size, ompls_error *err) {
    sim_device *d = handle, *other = from_device;
    if (in_arena(other, from, size)) return sim_copy_in(d, to, other->arena + (from - other->base), size, err);
    if (!in_arena(d, to, size)) return ompls_device_fail(err, "copy through the host", "copying between variables of two images");
    mark(d, to - d->base, size, SIM_STATE_WRITTEN);
    return sim_copy_out(other, d->arena + (to - d->base), from, size, err);
}

int sim_attach(void *handle, ompls_address at, ompls_address target, ompls_error *err) {
    return sim_copy_in(handle, at, &target, sizeof target, err);
}
