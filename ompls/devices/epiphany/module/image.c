/* image.c -- what the image says: symbols, the variables' first values, lines. */
#define _GNU_SOURCE
#include "epiphany.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
    const Elf32_Sym *of;
    uint32_t number;
    const char *names;
} symbols;

static symbols symbols_of(const unsigned char *image) {
    const Elf32_Ehdr *elf = (const void *)image;
    const Elf32_Shdr *sections = (const void *)(image + elf->e_shoff);
    for (int i = 0; i < elf->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB)
            return (symbols){(const void *)(image + sections[i].sh_offset), sections[i].sh_size / (uint32_t)sizeof(Elf32_Sym),
                             (const char *)image + sections[sections[i].sh_link].sh_offset};
    return (symbols){0};
}

static bool find_in(const unsigned char *image, const char *name, uint32_t *value) {
    const symbols all = symbols_of(image);
    for (uint32_t k = 0; k < all.number; k++) {
        if (all.of[k].st_shndx == SHN_UNDEF || strcmp(all.names + all.of[k].st_name, name) != 0) continue;
        *value = all.of[k].st_value;
        return true;
    }
    return false;
}

bool epi_find(const board *b, const char *name, uint32_t *value) {
    return find_in(b->image, name, value);
}

/* Behind the board's program are the kernels' for a real chip, where its compiler was there (__init__.py): then their names and places,
   their number, and a word. */
static const unsigned char *find_core(const board *b, const char *name) {
    enum { NAME = 256, ENTRY = NAME + 8, END = 16 };
    static const char word[12] = "ompls-cores";
    const unsigned char *end = b->image + b->image_size - END;
    uint32_t number, where[2];
    if (b->image_size < END || memcmp(end + 4, word, sizeof word) != 0) return NULL;
    memcpy(&number, end, sizeof number);
    for (const unsigned char *entry = end - (size_t)number * ENTRY; entry < end; entry += ENTRY) {
        memcpy(where, entry + NAME, sizeof where);
        if (strncmp((const char *)entry, name, NAME) == 0) return b->image + where[0];
    }
    return NULL;
}

/* Whether a kernel's program has variables that are not on a stack.  Not gcc's tables of what a construct maps: nobody reads them. */
static bool has_variables(const unsigned char *core) {
    static const char tables[] = "_.omp_data_";
    const symbols all = symbols_of(core);
    for (uint32_t k = 0; k < all.number; k++)
        if (ELF32_ST_TYPE(all.of[k].st_info) == STT_OBJECT && all.of[k].st_value >= EPI_DATA &&
            strncmp(all.names + all.of[k].st_name, tables, sizeof tables - 1) != 0)
            return true;
    return false;
}

/* The same of a real chip, whose compiler puts a line before names. */
static int find_real(const board *b, kernel *k, const char *name, ompls_error *err) {
    char symbol[300];
    k->core = find_core(b, name);
    if (k->core == NULL) return ompls_device_fail(err, "make epiphany-toolchain, and build the program again", "kernel %s was built without the chip's compiler", name);
    const Elf32_Ehdr *elf = (const void *)k->core;
    const Elf32_Phdr *parts = (const void *)(k->core + elf->e_phoff);
    if (has_variables(k->core)) return ompls_device_fail(err, "map them", "kernel %s has static variables, which a real board does not get yet", name);
    for (int i = 0; i < elf->e_phnum; i++) {
        const uint32_t end = parts[i].p_vaddr + parts[i].p_memsz;
        if (parts[i].p_type == PT_LOAD && end < EPI_LOCAL && end > k->code) k->code = end;
        if (end > EPI_DATA + EPI_TABLES) return ompls_device_fail(err, "make several regions of it", "kernel %s maps too much", name);
    }
    snprintf(symbol, sizeof symbol, "_%s", name);
    return find_in(k->core, symbol, &k->entry) ? 0 : ompls_device_fail(err, "build the program again", "kernel %s is not in its program", name);
}

/* The name of the image's variable at an address, where there is one. */
void epi_find_variable(const board *b, uint32_t address, char *out, size_t size) {
    const symbols all = symbols_of(b->image);
    for (uint32_t k = 0; k < all.number; k++) {
        const Elf32_Sym *s = &all.of[k];
        if (ELF32_ST_TYPE(s->st_info) == STT_OBJECT && address - s->st_value < s->st_size)
            snprintf(out, size, "%.*s", (int)strcspn(all.names + s->st_name, "."), all.names + s->st_name);
    }
}

/* The variables' first values are put where both sides see them. */
void epi_place_data(board *b) {
    const Elf32_Ehdr *elf = (const void *)b->image;
    const Elf32_Phdr *parts = (const void *)(b->image + elf->e_phoff);
    for (int i = 0; i < elf->e_phnum; i++)
        if (parts[i].p_type == PT_LOAD && parts[i].p_vaddr >= EPI_DATA)
            memcpy(b->memory + (parts[i].p_vaddr - EPI_EXTERNAL), b->image + parts[i].p_offset, parts[i].p_filesz);
}

/* The user's file and line of a place in the image.  Cold: a kernel has failed. */
uint32_t epi_find_line(const board *b, uint32_t place, char *where, size_t size) {
    char command[128], line[512];
    uint32_t found = 0;
    int file = memfd_create("ompls-epiphany", MFD_CLOEXEC);
    if (file < 0 || write(file, b->image, b->image_size) != (ssize_t)b->image_size) return 0;
    snprintf(command, sizeof command, "addr2line -i -e /proc/%d/fd/%d %#x 2>/dev/null", (int)getpid(), file, place);
    FILE *answer = popen(command, "r");
    while (answer != NULL && found == 0 && fgets(line, sizeof line, answer) != NULL) {
        char *colon = strrchr(line, ':'), *slash = strrchr(line, '/');
        if (colon == NULL) continue;
        *colon = '\0';
        found = (uint32_t)strtoul(colon + 1, NULL, 10);
        snprintf(where, size, "%.100s", slash != NULL ? slash + 1 : line);
    }
    if (answer != NULL) pclose(answer);
    close(file);
    return found;
}

int epi_find_kernel(void *handle, void *loaded, const char *name, void **out, ompls_error *err) {
    kernel *k = calloc(1, sizeof *k); /* for the life of the program, as the region that asks */
    (void)loaded;
    if (k == NULL) return ompls_device_fail(err, "close other programs", "out of memory");
    char size[256];
    snprintf(size, sizeof size, "ompls_size_%s", name);
    *out = k;
    if (((board *)handle)->hal != NULL) return find_real(handle, k, name, err) == 0 ? 0 : (free(k), 1);
    return epi_find(handle, name, &k->entry) && epi_find(handle, size, &k->code) ? 0 : (free(k), ompls_device_fail(err, "build the program again for `epiphany`", "kernel %s is not in the image", name));
}

int epi_find_symbol(void *handle, void *loaded, const char *name, ompls_address *out, ompls_error *err) {
    uint32_t value;
    (void)loaded;
    if (((board *)handle)->hal != NULL) return ompls_device_fail(err, "map it", "variable %s: a real board does not get those under `declare target` yet", name);
    if (!epi_find(handle, name, &value)) return ompls_device_fail(err, "build the program again for `epiphany`", "%s is not in the image", name);
    *out = value;
    return 0;
}
