/* epiphany.c -- the device `epiphany`: the table of device.h over an emulated board (library/board.c).

   The image is the board's program.  Program and board map the same bytes: the external memory, then the cores' own.  A kernel is
   started on an idle core; whoever waits for it gives it more cores when it asks, as many as are free, and takes them back.
   A core that fails is reset with the others of its kernel, and no other kernel notices. */
#define _GNU_SOURCE
#include "epiphany.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The chips that a board may have; the first is that of a Parallella. */
static const struct {
    const char *name;
    epi_geometry geometry;
} chips[] = {{"16", {4, 4, 0x808, 0}}, {"64", {8, 8, 0x808, 0}}};

static int epi_probe(ompls_module *self, int wanted, ompls_error *err) {
    (void)self;
    if (wanted <= 1) return 1;
    ompls_device_fail(err, "ask for one", "%d devices: one board is emulated", wanted);
    return 0;
}

/* Its memory stays: other threads may be copying while the program ends. */
static void epi_close(void *handle) {
    board *b = handle;
    if (b->hal != NULL) {
        if (b->owner == getpid()) epi_hal_close(b); /* a child has none of it */
        return;
    }
    const epi_findings *found = (const void *)(b->memory + (EPI_FINDINGS - EPI_EXTERNAL));
    if (b->started && b->owner == getpid() && getenv("OMPLS_EPIPHANY_COUNT") != NULL)
        fprintf(stderr, "ompls: epiphany: %u writes to other cores, %u of them one after the other, %u fences\n", found->remote, found->dependent, found->fences);
    if (b->started && b->owner == getpid() && !ompls_process_ended(&b->process)) epi_end(b);
}

static int epi_open(ompls_module *self, int index, void **out, ompls_error *err) {
    (void)self, (void)index;
    const char *asked = getenv("OMPLS_EPIPHANY_CHIP");
    unsigned which = 0;
    while (asked != NULL && which < sizeof chips / sizeof *chips && strcmp(chips[which].name, asked) != 0) which++;
    if (which == sizeof chips / sizeof *chips) return ompls_device_fail(err, "say 16 or 64", "OMPLS_EPIPHANY_CHIP=%s: there is no such Epiphany", asked);
    if (epi_limit() < 0)
        return ompls_device_fail(err, "say seconds, or leave it out", "OMPLS_EPIPHANY_DEADLINE=%s is no number of seconds", getenv("OMPLS_EPIPHANY_DEADLINE"));
    board *b = calloc(1, sizeof *b);
    void *memory = mmap(NULL, WHOLE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (b == NULL || memory == MAP_FAILED) {
        free(b);
        return ompls_device_fail(err, "look at the limits on memory", "making the emulated board's memory: %s", strerror(ENOMEM));
    }
    b->memory = memory;
    b->control = memory;
    b->geometry = chips[which].geometry;
    b->number = (int)epi_cores(&chips[which].geometry);
    pthread_mutex_init(&b->lock, NULL);
    *out = b;
    return 0;
}

static int epi_properties(void *handle, ompls_properties *out, ompls_error *err) {
    const board *b = handle;
    (void)err;
    *out = (ompls_properties){.memory = EPI_EXTERNAL_SIZE, .max_threads = (uint32_t)b->number, .max_teams = (uint32_t)b->number,
                              .default_threads = (uint32_t)b->number, .default_teams = 1, .pointer_bytes = 4, .sections = 1};
    snprintf(out->name, sizeof out->name, "an %sEpiphany with %d cores", getenv("OMPLS_EPIPHANY_HAL") != NULL ? "" : "emulated ", b->number);
    return 0;
}

static ompls_module module = {
    .abi = OMPLS_MODULE_ABI, .name = "epiphany", .kind = "accelerator", .image_class = "epiphany", .probe = epi_probe, .open = epi_open,
    .close = epi_close, .properties = epi_properties, .alloc = epi_alloc, .free = epi_free, .copy_in = epi_copy_in,
    .copy_out = epi_copy_out, .copy_within = epi_copy_within, .load = epi_load, .find_kernel = epi_find_kernel,
    .find_symbol = epi_find_symbol, .launch = epi_launch, .synchronize = epi_synchronize, .attach = epi_attach,
};

__attribute__((constructor)) static void announce(void) {
    ompls_register_module(&module);
}
