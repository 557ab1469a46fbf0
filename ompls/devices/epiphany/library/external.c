/* external.c -- memory that kernels allocate, first fit, in the part of the external memory that is theirs. */
#include "chip.h"

typedef struct block {
    uint32_t size, used;
    uint32_t filled[2]; /* the bytes behind are aligned to 16 */
} block;

static block *first(void) {
    block *b = (block *)EPI_POOL;
    if (b->size == 0) b->size = EPI_POOL_SIZE;
    return b;
}

static word *pool_lock(void) {
    return &bank()->locks[2];
}

void *chip_take(uint32_t size) {
    const uint32_t wanted = (size + sizeof(block) + 15) & ~15u;
    void *found = 0;
    lock(pool_lock());
    for (block *b = first(); found == 0 && (uint32_t)b < EPI_POOL + EPI_POOL_SIZE; b = (block *)((char *)b + b->size)) {
        while (!b->used && (uint32_t)b + b->size < EPI_POOL + EPI_POOL_SIZE) { /* free ones beside each other are one */
            block *next = (block *)((char *)b + b->size);
            if (next->used) break;
            b->size += next->size;
        }
        if (b->used || b->size < wanted) continue;
        if (b->size - wanted >= 2 * sizeof(block)) {
            *(block *)((char *)b + wanted) = (block){.size = b->size - wanted};
            b->size = wanted;
        }
        b->used = 1;
        found = b + 1;
    }
    unlock_far(pool_lock());
    return found;
}

void chip_give(void *memory) {
    lock(pool_lock());
    ((block *)memory)[-1].used = 0;
    unlock_far(pool_lock());
}

/* --- clause `allocate`, as gcc calls it: whatever allocator is asked for -------------------------------------------- */

void *GOMP_alloc(size_t align, size_t size, uintptr_t allocator) {
    (void)allocator;
    if (align < sizeof(void *)) align = sizeof(void *);
    void *memory = chip_take((uint32_t)(sizeof memory + align + size));
    if (memory == 0) __builtin_trap();
    void **out = (void **)(((uint32_t)memory + sizeof memory + align - 1) & ~(align - 1));
    out[-1] = memory;
    return out;
}

void GOMP_free(void *memory, uintptr_t allocator) {
    (void)allocator;
    if (memory != 0) chip_give(((void **)memory)[-1]);
}

/* --- copies of variables (core/image.c) ---------------------------------------------------------------------------- */

int ompls_image_device_number;

int omp_is_initial_device(void) { return 0; }
int omp_get_device_num(void) { return ompls_image_device_number; }

void *ompls_remember(const void *copy, unsigned long size) {
    void *before = chip_take(size != 0 ? size : 1);
    if (before == 0) __builtin_trap();
    return __builtin_memcpy(before, copy, size);
}

void ompls_put_back(void *variable, const void *copy, void *before, unsigned long size) {
    const char *now = copy, *old = before;
    for (unsigned long i = 0; i < size; i++)
        if (now[i] != old[i]) ((char *)variable)[i] = now[i];
    chip_give(before);
}
