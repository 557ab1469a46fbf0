/* linked.c -- announces what the link step has put beside it: images, and the order of the program's devices.

   It is a table of bytes (runtime/embedded.py writes it), where places are told by their distance from its beginning: so
   nothing in it is relocated, and the assembler alone makes it. */
#include "ompls.h"

#include <stddef.h>

typedef struct {
    uint64_t devices; /* their names with commas between them, and a zero byte */
    uint64_t count;
    struct {
        uint64_t device_class, start, size;
    } images[];
} table;

extern const table ompls_linked __attribute__((weak)); /* programs that are linked without the link step have none */

__attribute__((constructor)) static void announce(void) {
    const table *linked = &ompls_linked;
    const char *begin = (const char *)linked;
    if (linked == NULL) return;
    for (uint64_t i = 0; i < linked->count; i++) {
        ompls_image image = {begin + linked->images[i].device_class, begin + linked->images[i].start, linked->images[i].size};
        ompls_register_image(&image);
    }
    if (begin[linked->devices] != '\0') ompls_linked_for(begin + linked->devices);
}
