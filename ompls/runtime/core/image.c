/* image.c -- linked into every image of class `default`: what a kernel learns when it asks where it runs, and how copies of
   variables go back to what they are copies of. */
#include <stdlib.h>
#include <string.h>

int ompls_image_device_number; /* set by the core when the device opens (globals.c) */

int __wrap_omp_is_initial_device(void);
int __wrap_omp_get_device_num(void);

int __wrap_omp_is_initial_device(void) {
    return 0;
}

int __wrap_omp_get_device_num(void) {
    return ompls_image_device_number;
}

void *ompls_remember(const void *copy, unsigned long size);
void ompls_put_back(void *variable, const void *copy, void *before, unsigned long size);

/* A copy's bytes as they are now, for ompls_put_back. */
void *ompls_remember(const void *copy, unsigned long size) {
    void *before = malloc(size != 0 ? size : 1);
    if (before == NULL) abort();
    return memcpy(before, copy, size);
}

/* The bytes that have changed since, and no others: another region may be at work on the rest. */
void ompls_put_back(void *variable, const void *copy, void *before, unsigned long size) {
    enum { BLOCK = 64 };
    const char *now = copy, *old = before;
    char *out = variable;
    for (unsigned long at = 0; at < size; at += BLOCK) {
        unsigned long length = size - at < BLOCK ? size - at : BLOCK;
        if (memcmp(now + at, old + at, length) == 0) continue;
        for (unsigned long i = at; i < at + length; i++)
            if (now[i] != old[i]) out[i] = now[i];
    }
    free(before);
}
