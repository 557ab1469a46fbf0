/* near.c -- see near.h: the functions of core/device.h, said in the records of wire.h.

   What needs no answer is kept until something does, or until a frame is full: a region with small variables is one frame
   there and one back.  A far side does everything in the order in which it was said, so what one thread has started another
   one may wait for.  Errors of what was not answered come with the next answer. */
#define _GNU_SOURCE
#include "near.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "peers.h"

enum { GATHER = 4096, ALIKE = 1 << 16, MOST_READS = 1 << 20 };

typedef struct {
    uint32_t number, most; /* most: threads of a team; 0: as many as any */
    const char *id, *file; /* the region, as the far side knows it */
    uint32_t line;
} near_kernel;

typedef struct {
    ompls_module module;
    const ompls_near *near;
    int count;
} near_module;

static int done(near_device *n, int failed) {
    pthread_mutex_unlock(&n->lock);
    return failed;
}

static near_device *locked(void *device) {
    near_device *n = device;
    pthread_mutex_lock(&n->lock);
    return n;
}

/* A record without bytes, which changes `size` bytes at `at`. */
static int tell(void *device, ompls_error *err, uint32_t what, uint64_t a, uint64_t b, uint64_t c, ompls_address at, uint64_t size) {
    near_device *n = locked(device);
    return done(n, ompls_near_changes(n, at, size, err) != 0 || near_say(n, err, what, a, b, c, 0) == NULL);
}

static int near_probe(ompls_module *self, int wanted, ompls_error *err) {
    (void)err;
    near_module *m = (near_module *)self;
    return m->count = m->near->count(wanted);
}

static int near_open(ompls_module *self, int index, void **device, ompls_error *err) {
    near_device *n = calloc(1, sizeof *n);
    if (n == NULL) {
        snprintf(err->reason, sizeof err->reason, "no memory is left for it");
        return 1;
    }
    n->near = ((near_module *)self)->near;
    n->index = index;
    const char *reuse = getenv("OMPLS_REMOTE_REUSE");
    int count = ((near_module *)self)->count;
    n->many = count > 1 && n->near->peers && (reuse == NULL || strcmp(reuse, "no") != 0) ? (uint32_t)count : 0;
    n->asked = true;
    snprintf(n->machine, sizeof n->machine, "%s:%d", n->near->name, index);
    near_fail(n, &n->lost, 0, "the program has no image for it", "build it again for this device");
    pthread_mutex_init(&n->lock, NULL);
    *device = n;
    return 0;
}

/* While the program ends another thread may wait for a kernel that never does: its far side is ended then, so that nobody waits. */
static void near_close(void *device) {
    near_device *n = device;
    ompls_error err;
    bool idle = near_lock_soon(n);
    if (idle) {
        n->leaves = true;
        done(n, 0);
        ompls_near_part(n);
        idle = near_lock_soon(n);
    }
    if (!idle) {
        n->near->end(n->index, 1);
        return;
    }
    if (n->line != NULL) {
        if (near_say(n, &err, WIRE_CLOSE, 0, 0, 0, 0) != NULL && near_flush(n, &err) == 0) n->near->end(n->index, 0);
        near_tell_count(n);
        n->line = NULL;
        near_fail(n, &n->lost, 0, "the program ends", "");
    }
    ompls_near_addresses_drop(&n->addresses);
    n->addresses = (near_addresses){0};
    n->holds = (near_holds){0};
    free(n->reads);
    n->reads = NULL, n->nreads = n->taken = n->room = 0;
    done(n, 0); /* not freed: another thread may wait for it while the program ends */
}

static int open_far(near_device *n, ompls_error *err) {
    wire_record opened = {0};
    uint64_t first = ompls_near_reserve(n->index);
    if (near_say(n, err, WIRE_OPEN, first, first != 0 ? OMPLS_ARENA : 0, (uint64_t)n->index, 0) == NULL) return 1;
    if (near_wait(n, &opened, &n->properties, err) != 0) return 1;
    if (opened.what != WIRE_OPENED || opened.a != OMPLS_WIRE) return near_damaged(n, err);
    char name[sizeof n->properties.name];
    memcpy(name, n->properties.name, sizeof name);
    near_clean(name, sizeof name);
    snprintf(n->properties.name, sizeof n->properties.name, "%.80s (%.40s)", name, n->machine);
    snprintf(n->properties.machine, sizeof n->properties.machine, "%.63s", n->machine);
    n->properties.shares_host_memory = n->properties.lend = 0;
    n->properties.reserved = first, n->properties.reserved_bytes = opened.b != 0 ? OMPLS_ARENA : 0;
    n->properties.gather = GATHER;
    n->properties.alike = opened.b != 0 ? ALIKE : 0; /* bytes that lie alike are copied much faster by the processor */
    return ompls_near_addresses_make(&n->addresses, opened.b != 0 ? first : 0, n->properties.memory) ? 0 : near_fail(n, err, 0, "no memory is left for it", "");
}

/* The image is the far side. */
static int near_load(void *device, const void *image, uint64_t size, void **loaded, ompls_error *err) {
    near_device *n = locked(device);
    char why[400 + sizeof n->detail] = "", machine[sizeof n->machine] = "";
    int failed = n->near->start(n->index, image, size, &n->line, machine, n->hint, why, sizeof why);
    near_clean(machine, sizeof machine);
    if (machine[0] != '\0') memcpy(n->machine, machine, sizeof machine);
    char *detail = why + strcspn(why, "\n");
    if (*detail != '\0') *detail++ = '\0';
    near_clean(why, strlen(why) + 1);
    if (failed != 0) n->line = NULL;
    *loaded = n;
    if (failed == 0 && n->many) ompls_near_joins(n);
    if (failed == 0) return done(n, open_far(n, err));
    near_lose(n, err, why);
    snprintf(n->detail, sizeof n->detail, "%s", detail);
    near_clean_lines(n->detail, sizeof n->detail);
    err->detail = n->detail;
    return done(n, 1);
}

static int near_properties(void *device, ompls_properties *out, ompls_error *err) {
    near_device *n = device;
    if (n->line == NULL) *err = n->lost;
    *out = n->properties;
    return n->line == NULL;
}

static int near_alloc(void *device, uint64_t size, ompls_address *out, ompls_error *err) {
    near_device *n = locked(device);
    if (size == 0) size = 1;
    *out = ompls_near_take(&n->addresses, size);
    if (*out == 0 && n->holds.kept > 0) {
        if (ompls_near_free_kept(n, err) != 0) return done(n, 1);
        *out = ompls_near_take(&n->addresses, size);
    }
    if (*out == 0) return done(n, near_fail(n, err, 0, "it has not so much memory", "map less at a time"));
    return done(n, near_say(n, err, WIRE_ALLOC, *out, size, 0, 0) == NULL);
}

static int near_free(void *device, ompls_address address, ompls_error *err) {
    near_device *n = locked(device);
    if (ompls_near_keep(n, address)) return done(n, 0);
    uint64_t size = ompls_near_size(&n->addresses, address);
    if (ompls_near_changes(n, address, size, err) != 0) return done(n, 1);
    ompls_near_give(&n->addresses, address);
    return done(n, size == 0 ? near_fail(n, err, 0, "the address was not allocated", "") : near_say(n, err, WIRE_FREE, address, size, 0, 0) == NULL);
}

/* The host's memory may change at once: it is copied, or it is sent. */
static int near_start_in(void *device, ompls_address to, const void *from, uint64_t size, ompls_error *err) {
    near_device *n = locked(device);
    bool small = size <= OMPLS_INLINE;
    int reused = ompls_near_reuse(n, to, from, size, err);
    if (reused >= 0) return done(n, reused);
    if (ompls_near_changes(n, to, size, err) != 0) return done(n, 1);
    char *bytes = near_say(n, err, WIRE_WRITE, to, size, 0, small ? size : 0);
    if (bytes == NULL) return done(n, 1);
    if (small) memcpy(bytes, from, size);
    else if (near_flush(n, err) != 0) return done(n, 1);
    for (uint64_t at = 0; !small && at < size; at += OMPLS_PIECE) {
        uint64_t piece = size - at < OMPLS_PIECE ? size - at : OMPLS_PIECE;
        if (near_put_data(n, (const char *)from + at, piece, err) != 0) return done(n, 1);
    }
    ompls_near_has(n, to, from, size);
    return done(n, 0);
}

/* For who waits for what was said last, and shall know whether it could be done. */
static int hear(void *device, ompls_error *err) {
    near_device *n = locked(device);
    uint64_t unused;
    return done(n, near_answer(n, &unused, err));
}

static int near_copy_in(void *device, ompls_address to, const void *from, uint64_t size, ompls_error *err) {
    return near_start_in(device, to, from, size, err) != 0 || hear(device, err) != 0;
}

static int want(near_device *n, void *into, ompls_address from, uint64_t size, ompls_error *err) {
    if (n->nreads == n->room) {
        uint32_t room = n->room != 0 ? 2 * n->room : 16;
        wanted_data *reads = room > MOST_READS ? NULL : realloc(n->reads, room * sizeof *reads);
        if (reads == NULL) return near_fail(n, err, 0, "too much is copied at a time", "wait more often");
        n->reads = reads, n->room = room;
    }
    if (near_say(n, err, WIRE_READ, from, size, 0, 0) == NULL) return 1;
    n->reads[n->nreads++] = (wanted_data){into, from, size, n->syncs + 1};
    n->asked = false, n->busy = true;
    return 0;
}

static int near_start_out(void *device, void *to, ompls_address from, uint64_t size, ompls_error *err) {
    near_device *n = locked(device);
    return done(n, want(n, to, from, size, err));
}

static int near_copy_out(void *device, void *to, ompls_address from, uint64_t size, ompls_error *err) {
    near_device *n = locked(device);
    uint64_t unused;
    return done(n, want(n, to, from, size, err) != 0 || near_answer(n, &unused, err) != 0);
}

static int near_copy_within(void *device, ompls_address to, ompls_address from, uint64_t size, ompls_error *err) {
    return tell(device, err, WIRE_COPY, to, from, size, to, size) != 0 || hear(device, err) != 0;
}

static int near_attach(void *device, ompls_address at, ompls_address target, ompls_error *err) {
    return tell(device, err, WIRE_ATTACH, at, target, 0, at, sizeof target);
}

static int near_find_kernel(void *device, void *loaded, const char *name, void **kernel, ompls_error *err) {
    (void)loaded;
    near_device *n = locked(device);
    uint64_t length = strlen(name) + 1, most = 0;
    near_kernel *found = calloc(1, sizeof *found);
    if (length > OMPLS_INLINE || found == NULL) {
        free(found);
        return done(n, near_fail(n, err, 0, "no memory is left for its kernel, or its name is too long", ""));
    }
    char *bytes = near_say(n, err, WIRE_KERNEL, n->kernels, 0, 0, length);
    if (bytes != NULL) memcpy(bytes, name, length);
    if (bytes == NULL || near_answer(n, &most, err) != 0) {
        free(found);
        return done(n, 1);
    }
    *found = (near_kernel){.number = n->kernels++, .most = (uint32_t)most};
    *kernel = found;
    return done(n, 0);
}

static int near_find_symbol(void *device, void *loaded, const char *name, ompls_address *out, ompls_error *err) {
    (void)loaded;
    near_device *n = locked(device);
    uint64_t length = strlen(name) + 1, handle = n->addresses.first != 0 ? 0 : ompls_near_take(&n->addresses, 1);
    if (length > OMPLS_INLINE) return done(n, near_fail(n, err, 0, "a variable has too long a name", ""));
    char *bytes = near_say(n, err, WIRE_SYMBOL, handle, 0, 0, length);
    if (bytes != NULL) memcpy(bytes, name, length);
    return done(n, bytes == NULL || near_answer(n, out, err) != 0);
}

static int near_most_threads(void *device, void *kernel, uint32_t *out, ompls_error *err) {
    (void)device, (void)err;
    uint32_t most = ((near_kernel *)kernel)->most;
    *out = most != 0 ? most : UINT32_MAX;
    return 0;
}

static int tell_region(near_device *n, near_kernel *k, const ompls_launch_request *request, ompls_error *err) {
    uint64_t id = strlen(request->id) + 1, file = strlen(request->region_file) + 1;
    if (id + file > OMPLS_INLINE) return near_fail(n, err, 0, "the region's file has too long a name", "give it a shorter one");
    char *bytes = near_say(n, err, WIRE_REGION, k->number, request->region_line, 0, id + file);
    if (bytes == NULL) return 1;
    memcpy(bytes, request->id, id);
    memcpy(bytes + id, request->region_file, file);
    k->id = request->id, k->file = request->region_file, k->line = request->region_line;
    return 0;
}

static int near_launch(void *device, void *kernel, const ompls_launch_request *request, ompls_error *err) {
    near_device *n = locked(device);
    near_kernel *k = kernel;
    uint64_t size = sizeof(wire_launch);
    for (uint32_t i = 0; i < request->nparams; i++) size += sizeof(wire_parameter) + (request->sizes[i] + 7) / 8 * 8;
    if (size > OMPLS_FRAME - 8 * sizeof(wire_record)) return done(n, near_fail(n, err, 0, "the kernel's parameters are too long", "map what is so large"));
    if ((k->id != request->id || k->file != request->region_file || k->line != request->region_line) && tell_region(n, k, request, err) != 0)
        return done(n, 1);
    ompls_near_may_change(n);
    char *bytes = near_say(n, err, WIRE_LAUNCH, k->number, request->nparams, 0, size);
    if (bytes == NULL) return done(n, 1);
    wire_launch how = {.mode = request->mode, .shared_bytes = request->shared_bytes};
    memcpy(how.grid, request->grid, sizeof how.grid);
    memcpy(how.block, request->block, sizeof how.block);
    memcpy(bytes, &how, sizeof how);
    bytes += sizeof how;
    for (uint32_t i = 0; i < request->nparams; i++) {
        wire_parameter head = {(uint32_t)request->sizes[i], request->kinds[i]};
        memcpy(bytes, &head, sizeof head);
        memcpy(bytes + sizeof head, request->params[i], request->sizes[i]);
        bytes += sizeof head + (request->sizes[i] + 7) / 8 * 8;
    }
    n->asked = false, n->busy = true;
    return done(n, 0);
}

static int near_synchronize(void *device, ompls_error *err) {
    near_device *n = locked(device);
    uint64_t unused;
    if (n->line == NULL) *err = n->lost;
    if (n->line == NULL) return done(n, 1);
    if (n->asked && n->answered == n->syncs) return done(n, near_flush(n, err));
    return done(n, near_answer(n, &unused, err));
}

/* Nobody waits for it, and what others have started is asked for: an error is that of who asks for it next. */
static int near_ready(void *device) {
    near_device *n = device;
    if (pthread_mutex_trylock(&n->lock) != 0) return 0;
    return done(n, n->line != NULL && n->asked);
}

static int near_send(void *device, uint64_t *ticket, ompls_error *err) {
    near_device *n = locked(device);
    int failed = near_ask(n, err);
    *ticket = n->syncs;
    return done(n, failed);
}

static int near_receive(void *device, uint64_t ticket, ompls_error *err) {
    near_device *n = locked(device);
    wire_record last;
    ompls_properties unused;
    return done(n, near_hear(n, ticket, &last, &unused, err));
}

/* A far side does everything in one order: who follows needs nothing but to be the later one. */
static int near_mark(void *device, uint64_t *mark, ompls_error *err) {
    near_device *n = locked(device);
    *mark = 1;
    if (n->line == NULL) *err = n->lost;
    return done(n, n->line == NULL);
}

static int near_follow(void *device, uint64_t mark, ompls_error *err) {
    (void)device, (void)mark, (void)err;
    return 0;
}

void ompls_near_add(const ompls_near *near) {
    near_module *added = calloc(1, sizeof *added);
    if (added == NULL) return;
    added->near = near;
    added->module = (ompls_module){
        .abi = OMPLS_MODULE_ABI, .name = near->name, .kind = near->kind, .image_class = near->name, .probe = near_probe, .open = near_open,
        .close = near_close, .properties = near_properties, .alloc = near_alloc, .free = near_free, .copy_in = near_copy_in,
        .copy_out = near_copy_out, .copy_within = near_copy_within, .load = near_load, .find_kernel = near_find_kernel,
        .find_symbol = near_find_symbol, .launch = near_launch, .synchronize = near_synchronize, .start_in = near_start_in,
        .start_out = near_start_out, .mark = near_mark, .follow = near_follow, .attach = near_attach, .most_threads = near_most_threads,
        .copy_peer = ompls_near_copy_peer, .copy_peer_rows = ompls_near_copy_peer_rows, .ready = near_ready, .send = near_send,
        .receive = near_receive,
    };
    ompls_register_module(&added->module);
    ompls_close_before_exit();
}
