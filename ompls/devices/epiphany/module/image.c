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

static symbols symbols_of(const board *b) {
    const Elf32_Ehdr *elf = (const void *)b->image;
    const Elf32_Shdr *sections = (const void *)(b->image + elf->e_shoff);
    for (int i = 0; i < elf->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB)
            return (symbols){(const void *)(b->image + sections[i].sh_offset), sections[i].sh_size / (uint32_t)sizeof(Elf32_Sym),
                             (const char *)b->image + sections[sections[i].sh_link].sh_offset};
    return (symbols){0};
}

bool epi_find(const board *b, const char *name, uint32_t *value) {
    const symbols all = symbols_of(b);
    for (uint32_t k = 0; k < all.number; k++) {
        if (all.of[k].st_shndx == SHN_UNDEF || strcmp(all.names + all.of[k].st_name, name) != 0) continue;
        *value = all.of[k].st_value;
        return true;
    }
    return false;
}

/* The name of the image's variable at an address, where there is one. */
void epi_find_variable(const board *b, uint32_t address, char *out, size_t size) {
    const symbols all = symbols_of(b);
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
    kernel *k = malloc(sizeof *k); /* for the life of the program, as the region that asks */
    (void)loaded;
    if (k == NULL) return ompls_device_fail(err, "close other programs", "out of memory");
    char size[256];
    snprintf(size, sizeof size, "ompls_size_%s", name);
    *out = k;
    return epi_find(handle, name, &k->entry) && epi_find(handle, size, &k->code) ? 0 : (free(k), ompls_device_fail(err, "build the program again for `epiphany`", "kernel %s is not in the image", name));
}

int epi_find_symbol(void *handle, void *loaded, const char *name, ompls_address *out, ompls_error *err) {
    uint32_t value;
    (void)loaded;
    if (!epi_find(handle, name, &value)) return ompls_device_fail(err, "build the program again for `epiphany`", "%s is not in the image", name);
    *out = value;
    return 0;
}
