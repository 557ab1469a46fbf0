/* fake_hal.c -- a libe-hal for tests: memory of a board, and cores that answer as the run time on a chip would.

   A core runs no instructions: whatever kernel it is given counts up the `int` that its first parameter is the address of.  FAKE_HAL may be
   `fault` (the core fails), `hang` (it does not end), `team` (each kernel asks for all cores),
   `variables` (those that kernels have are logged), or the name of a call that fails.  Calls are logged in the file FAKE_HAL_LOG. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "../../ompls/devices/epiphany/library/board.h"

typedef struct {
    int kind;
    long host, page, offset;
    size_t mapped_size;
    long chip;
    size_t size;
    void *mapped, *base;
    int file;
    void *own;
} e_mem_t;

typedef struct {
    int kind, type;
    unsigned cores, id, row, column, rows, columns;
    void **core;
    int file;
    void *own;
} e_epiphany_t;

static char *external;
static unsigned char local[EPI_MOST][EPI_LOCAL];
static volatile int started[EPI_MOST];
static pthread_t threads[EPI_MOST];
static volatile int in_team[EPI_MOST]; /* its master has not yet said that it has left */

static int said(const char *call) {
    const char *log = getenv("FAKE_HAL_LOG"), *bad = getenv("FAKE_HAL");
    FILE *file = log != NULL ? fopen(log, "a") : NULL;
    if (file != NULL) fprintf(file, "%s\n", call), fclose(file);
    return bad != NULL && strcmp(bad, call) == 0 ? -1 : 0;
}

static int is(const char *word) {
    const char *asked = getenv("FAKE_HAL");
    return asked != NULL && strcmp(asked, word) == 0;
}

/* All other cores that are free become its team, and leave it; their master says so a while later, as on a chip where the last of them takes
   long to count in the master's memory. */
static void have_team(epi_slot *slot, unsigned self) {
    const uint32_t before = slot->granted;
    slot->apart = 0, slot->other = slot->entry;
    __atomic_store_n(&slot->wanted, 15, __ATOMIC_SEQ_CST);
    while (slot->granted == before && started[self]) usleep(100);
    const uint32_t given = slot->given[0];
    for (unsigned n = 0; n < 16; n++) in_team[n] |= (int)(given >> n & 1);
    usleep(200000);
    for (unsigned n = 0; n < 16; n++)
        if ((given >> n & 1) != 0) in_team[n] = 0;
    __atomic_store_n(&slot->wanted, EPI_LEFT, __ATOMIC_SEQ_CST);
}

static void *run(void *given) {
    const unsigned n = (unsigned)(size_t)given;
    epi_control *control = (void *)external;
    epi_slot *slot = &control->slots[n];
    while (started[n]) {
        usleep(100);
        if (slot->status != EPI_START) continue;
        slot->status = EPI_RUNNING;
        if (slot->argument == 0) continue; /* of a team: its master tells when it has left */
        const uint32_t *parameters = (const void *)(external + (slot->argument - EPI_EXTERNAL) + sizeof(epi_parameters));
        const uint32_t *first = (const void *)(external + (parameters[0] - EPI_EXTERNAL));
        const int there = slot->entry >= EPI_CODE && slot->entry < slot->code && local[n][slot->entry] + local[n][slot->entry + 1] != 0;
        if (is("hang")) continue;
        if (is("fault") || !there || local[n][0] + local[n][1] == 0) {
            slot->status = EPI_FAULT;
            continue;
        }
        if (is("team")) have_team(slot, n);
        ++*(int *)(void *)(external + (*first - EPI_EXTERNAL));
        __atomic_store_n(&slot->status, EPI_DONE, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

/* Nothing of a core runs on when it is started anew, or its memory is given back. */
static void stop(unsigned n) {
    if (started[n] == 0) return;
    started[n] = 0;
    pthread_join(threads[n], NULL);
}

int e_init(char *description) { return description != NULL ? -1 : said("e_init"); }
int e_finalize(void) { return said("e_finalize"); }
int e_reset_system(void) { return said("e_reset_system"); }

int e_alloc(e_mem_t *m, off_t base, size_t size) {
    external = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(external, 0xa5, EPI_DATA - EPI_EXTERNAL); /* what others have left there */
    *m = (e_mem_t){.kind = 5, .chip = (long)(EPI_EXTERNAL + (unsigned long)base), .size = size, .base = external};
    return said("e_alloc");
}

int e_free(e_mem_t *m) {
    for (unsigned n = 0; n < EPI_MOST; n++) stop(n);
    return munmap(m->base, m->size) != 0 ? -1 : said("e_free");
}

int e_open(e_epiphany_t *g, unsigned row, unsigned column, unsigned rows, unsigned columns) {
    *g = (e_epiphany_t){.kind = 3, .cores = rows * columns, .row = row, .column = column, .rows = rows, .columns = columns};
    return said("e_open");
}

int e_close(e_epiphany_t *g) { return g->kind != 3 ? -1 : said("e_close"); }

ssize_t e_write(void *to, unsigned row, unsigned column, off_t offset, const void *from, size_t size) {
    const e_epiphany_t *g = to;
    if (g->kind != 3 || offset < 0 || (size_t)offset + size > EPI_LOCAL || said("e_write") != 0) return -1;
    memcpy(local[(g->row + row) * 4 + g->column + column] + offset, from, size);
    return (ssize_t)size;
}

int e_reset_group(e_epiphany_t *g) {
    if (in_team[g->row * 4 + g->column]) said("too_early");
    stop(g->row * 4 + g->column);
    return said("e_reset_group");
}

int e_start(e_epiphany_t *g, unsigned row, unsigned column) {
    const unsigned n = (g->row + row) * 4 + g->column + column;
    stop(n);
    started[n] = 1;
    for (uint32_t at = EPI_DATA + EPI_WORDS; is("variables") && at < EPI_DATA + EPI_WORDS + 256; at += 4) {
        char found[32];
        const int value = *(const int *)(const void *)(external + (at - EPI_EXTERNAL));
        snprintf(found, sizeof found, "variable=%d", value);
        if (value != 0) said(found);
    }
    if (pthread_create(&threads[n], NULL, run, (void *)(size_t)n) != 0) return started[n] = 0, -1;
    return said("e_start");
}
