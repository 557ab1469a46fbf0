/* hal.c -- a real board instead of the emulated one: the host's half of the SDK, libe-hal, opened when OMPLS_EPIPHANY_HAL names it.

   The board's external memory is mapped by the library, so all that is read and written there stays as it is; a core's own memory is
   reached by its calls.  A kernel's program is put into a core when it starts there another one than before.  Not tried on a board:
   the tests have a library that answers these calls. */
#define _GNU_SOURCE
#include "epiphany.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* Objects of the library, of which the size is enough; of the memory the place is needed, both here and on the chip. */
typedef struct {
    void *words[64];
} group;

typedef struct {
    int kind;
    long host, page, offset;
    size_t mapped_size;
    long chip;
    size_t size;
    void *mapped, *base;
    void *more[64];
} memory;

struct epi_hal {
    void *library;
    int (*init)(char *description);
    int (*finalize)(void);
    int (*reset_system)(void);
    int (*alloc)(memory *m, off_t base, size_t size);
    int (*free)(memory *m);
    int (*open)(group *g, unsigned row, unsigned column, unsigned rows, unsigned columns);
    int (*close)(group *g);
    ssize_t (*write)(void *to, unsigned row, unsigned column, off_t offset, const void *from, size_t size);
    int (*reset_group)(group *g);
    int (*start)(group *g, unsigned row, unsigned column);
    memory external;
    group cores[EPI_MOST]; /* each alone, so that it can be reset alone */
    int opened;
    const unsigned char *loaded[EPI_MOST]; /* the program that it runs */
};

static bool find_calls(epi_hal *h, const char **missing) {
    const struct {
        const char *name;
        void *to;
    } all[] = {{"e_init", &h->init}, {"e_finalize", &h->finalize}, {"e_reset_system", &h->reset_system}, {"e_alloc", &h->alloc},
               {"e_free", &h->free}, {"e_open", &h->open}, {"e_close", &h->close}, {"e_write", &h->write},
               {"e_reset_group", &h->reset_group}, {"e_start", &h->start}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        void *found = dlsym(h->library, *missing = all[i].name);
        if (found == NULL) return false;
        memcpy(all[i].to, &found, sizeof found);
    }
    return true;
}

/* Which call has failed; NULL: the board is ours. */
static const char *begin(board *b, epi_hal *h) {
    static const char zeros[EPI_LOCAL - EPI_BLOCK];
    if (h->init(NULL) != 0) return "e_init";
    if (h->reset_system() != 0) return "e_reset_system";
    if (h->alloc(&h->external, 0, EPI_EXTERNAL_SIZE) != 0) return h->external.base = NULL, "e_alloc";
    for (; h->opened < b->number; h->opened++) {
        group *g = &h->cores[h->opened];
        const unsigned n = (unsigned)h->opened, columns = b->geometry.columns;
        if (h->open(g, n / columns, n % columns, 1, 1) != 0) return "e_open";
        if (h->write(g, 0, 0, EPI_BLOCK, zeros, sizeof zeros) != (ssize_t)sizeof zeros) return "e_write";
    }
    return NULL;
}

static void end(board *b, epi_hal *h) {
    for (int n = 0; n < h->opened; n++) h->reset_group(&h->cores[n]), h->close(&h->cores[n]);
    if (h->external.base != NULL) h->free(&h->external);
    h->finalize();
    dlclose(h->library);
    free(h);
    b->hal = NULL;
}

int epi_hal_open(board *b, const char *path, ompls_error *err) {
    epi_hal *h = calloc(1, sizeof *h);
    const char *failed = NULL;
    if (h == NULL || (h->library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) == NULL) {
        ompls_device_fail(err, "let OMPLS_EPIPHANY_HAL name the SDK's libe-hal.so", "OMPLS_EPIPHANY_HAL: %s", h == NULL ? "out of memory" : dlerror());
        free(h);
        return 1;
    }
    if (!find_calls(h, &failed)) {
        ompls_device_fail(err, "let OMPLS_EPIPHANY_HAL name the SDK's libe-hal.so", "%s has no %s", path, failed);
        dlclose(h->library);
        free(h);
        return 1;
    }
    failed = begin(b, h);
    if (failed != NULL || h->external.base == NULL || (uint32_t)h->external.chip != EPI_EXTERNAL) {
        ompls_device_fail(err, "see whether the board is there, and whether this user may use it", "%s: %s", path,
                          failed != NULL ? failed : "the board's external memory is not mapped at 0x8e000000");
        end(b, h);
        return 1;
    }
    b->hal = h;
    b->memory = h->external.base;
    b->control = h->external.base;
    memset(b->memory, 0, EPI_DATA - EPI_EXTERNAL);
    return 0;
}

/* Puts the kernel's program into the core and starts it, where it is not there already; false: the library has said no. */
bool epi_hal_load(board *b, int n, const kernel *k) {
    epi_hal *h = b->hal;
    const Elf32_Ehdr *elf = (const void *)k->core;
    const Elf32_Phdr *parts = (const void *)(k->core + elf->e_phoff);
    group *g = &h->cores[n];
    if (h->loaded[n] == k->core) return true;
    b->control->slots[n].status = EPI_IDLE;
    h->loaded[n] = NULL;
    if (h->reset_group(g) != 0) return false;
    for (int i = 0; i < elf->e_phnum; i++) {
        const Elf32_Phdr *p = &parts[i];
        if (p->p_type != PT_LOAD || p->p_filesz == 0 || p->p_vaddr >= EPI_LOCAL) continue;
        if (h->write(g, 0, 0, (off_t)p->p_vaddr, k->core + p->p_offset, p->p_filesz) != (ssize_t)p->p_filesz) return false;
    }
    if (h->start(g, 0, 0) != 0) return false;
    h->loaded[n] = k->core;
    return true;
}

void epi_hal_reset(board *b, cores those) {
    for (int n = 0; n < b->number; n++) {
        if ((those & epi_bit(n)) == 0) continue;
        b->hal->reset_group(&b->hal->cores[n]);
        b->hal->loaded[n] = NULL;
        b->control->slots[n].status = EPI_IDLE;
    }
}

void epi_hal_close(board *b) {
    end(b, b->hal);
}
