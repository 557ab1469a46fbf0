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
enum { NAME = 256, ENTRY = NAME + 8, END = 16 };

static uint32_t number_of_cores(const board *b) {
    static const char word[12] = "ompls-cores";
    uint32_t number;
    if (b->image_size < END || memcmp(b->image + b->image_size - sizeof word, word, sizeof word) != 0) return 0;
    memcpy(&number, b->image + b->image_size - END, sizeof number);
    return number;
}

/* The program of number `n`, and its kernel's name. */
static const unsigned char *core_of(const board *b, uint32_t n, const char **name) {
    const unsigned char *entry = b->image + b->image_size - END - (size_t)(n + 1) * ENTRY;
    uint32_t where;
    memcpy(&where, entry + NAME, sizeof where);
    *name = (const char *)entry;
    return b->image + where;
}

static const unsigned char *find_core(const board *b, const char *wanted) {
    const char *name;
    for (uint32_t n = number_of_cores(b); n-- > 0;) {
        const unsigned char *core = core_of(b, n, &name);
        if (strncmp(name, wanted, NAME) == 0) return core;
    }
    return NULL;
}

/* The static variables of each kernel have a place of their own behind the words that all share: those begin as zeros. */
uint32_t epi_place_cores(board *b) {
    const char *name;
    uint32_t end = EPI_DATA + EPI_WORDS;
    memset(b->memory + (EPI_DATA - EPI_EXTERNAL), 0, EPI_WORDS);
    for (uint32_t n = number_of_cores(b); n-- > 0;) {
        const unsigned char *core = core_of(b, n, &name);
        const Elf32_Ehdr *elf = (const void *)core;
        const Elf32_Phdr *parts = (const void *)(core + elf->e_phoff);
        for (int i = 0; i < elf->e_phnum; i++) {
            const Elf32_Phdr *p = &parts[i];
            if (p->p_type != PT_LOAD || p->p_vaddr < EPI_DATA) continue;
            if (p->p_memsz > EPI_EXTERNAL_SIZE || p->p_vaddr - EPI_EXTERNAL > EPI_EXTERNAL_SIZE - p->p_memsz) return 0;
            memset(b->memory + (p->p_vaddr - EPI_EXTERNAL), 0, p->p_memsz);
            memcpy(b->memory + (p->p_vaddr - EPI_EXTERNAL), core + p->p_offset, p->p_filesz);
            if (p->p_vaddr + p->p_memsz > end) end = p->p_vaddr + p->p_memsz;
        }
    }
    return end;
}

/* The same of a real chip, whose compiler puts a line before names. */
static int find_real(const board *b, kernel *k, const char *name, ompls_error *err) {
    char symbol[300];
    k->core = find_core(b, name);
    if (k->core == NULL) return ompls_device_fail(err, "make epiphany-toolchain, and build the program again", "kernel %s was built without the chip's compiler", name);
    const Elf32_Ehdr *elf = (const void *)k->core;
    const Elf32_Phdr *parts = (const void *)(k->core + elf->e_phoff);
    for (int i = 0; i < elf->e_phnum; i++) {
        const uint32_t end = parts[i].p_vaddr + parts[i].p_memsz;
        if (parts[i].p_type == PT_LOAD && end < EPI_LOCAL && end > k->code) k->code = end;
    }
    snprintf(symbol, sizeof symbol, "_ompls_stack_%s", name);
    const bool there = find_in(k->core, symbol, &k->stack);
    snprintf(symbol, sizeof symbol, "_%s", name);
    return there && find_in(k->core, symbol, &k->entry) ? 0 : ompls_device_fail(err, "build the program again", "kernel %s is not in its program", name);
}

/* A word that all kernels share is in each of their programs. */
static bool find_shared(const board *b, const char *name, uint32_t *value) {
    char symbol[300];
    const char *kernel;
    snprintf(symbol, sizeof symbol, "_%s", name);
    return number_of_cores(b) != 0 && find_in(core_of(b, 0, &kernel), symbol, value);
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
    char size[300], stack[300];
    snprintf(size, sizeof size, "ompls_size_%s", name);
    snprintf(stack, sizeof stack, "ompls_stack_%s", name);
    *out = k;
    if (((board *)handle)->hal != NULL) return find_real(handle, k, name, err) == 0 ? 0 : (free(k), 1);
    return epi_find(handle, name, &k->entry) && epi_find(handle, size, &k->code) && epi_find(handle, stack, &k->stack) ? 0 : (free(k), ompls_device_fail(err, "build the program again for `epiphany`", "kernel %s is not in the image", name));
}

int epi_find_symbol(void *handle, void *loaded, const char *name, ompls_address *out, ompls_error *err) {
    uint32_t value;
    (void)loaded;
    const bool there = ((board *)handle)->hal != NULL ? find_shared(handle, name, &value) : epi_find(handle, name, &value);
    if (!there) return ompls_device_fail(err, "build the program again for `epiphany`", "%s is not in the image", name);
    *out = value;
    return 0;
}
