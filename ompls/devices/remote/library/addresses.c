/* addresses.c -- see addresses.h, and wire.h for handles. */
#define _GNU_SOURCE
#include "addresses.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "wire.h"

/* Between what systems give to programs and to their stacks; pages of the largest size of the machines that we know. */
static const uint64_t FIRST = 0x3c0000000000;
enum { MOST = 256, PAGE = 1 << 16, MOST_HANDLES = 1 << 22 };

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

uint64_t ompls_near_reserve(int index) {
    if (index < 0 || index >= MOST) return 0;
    uint64_t first = FIRST + (uint64_t)index * OMPLS_ARENA;
    void *wanted = (void *)(uintptr_t)first;
    void *found = mmap(wanted, OMPLS_ARENA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (found == wanted) return first;
    if (found != MAP_FAILED) munmap(found, OMPLS_ARENA);
    return 0;
}

bool ompls_near_elsewhere(const near_addresses *a, uint64_t address) {
    bool some = address >= FIRST && address - FIRST < MOST * OMPLS_ARENA;
    return some && a->first != 0 && (address < a->first || address - a->first >= OMPLS_ARENA);
}

bool ompls_near_addresses_make(near_addresses *a, uint64_t first, uint64_t memory) {
    *a = (near_addresses){.first = first, .left = memory != 0 ? memory : UINT64_MAX};
    return first == 0 || ompls_make_blocks(&a->blocks, first, OMPLS_ARENA);
}

void ompls_near_addresses_drop(near_addresses *a) {
    if (a->first != 0) ompls_drop_blocks(&a->blocks);
    free(a->sizes);
    free(a->free);
}

static uint64_t take_handle(near_addresses *a, uint64_t size) {
    if (size >> (OMPLS_HANDLE_BITS - 1) != 0) return 0;
    if (a->nfree == 0) {
        if (a->nhandles == a->room) {
            uint32_t room = a->room != 0 ? 2 * a->room : 64;
            uint64_t *sizes = room > MOST_HANDLES ? NULL : realloc(a->sizes, room * sizeof *sizes);
            if (sizes == NULL) return 0;
            a->sizes = sizes;
            uint32_t *more = realloc(a->free, room * sizeof *more);
            if (more == NULL) return 0;
            a->free = more;
            a->room = room;
        }
        a->free[a->nfree++] = ++a->nhandles;
    }
    uint32_t handle = a->free[--a->nfree];
    a->sizes[handle - 1] = size;
    return ((uint64_t)handle << OMPLS_HANDLE_BITS) + OMPLS_HANDLE_BEGIN;
}

uint64_t ompls_near_take(near_addresses *a, uint64_t size) {
    if (size > a->left) return 0;
    uint64_t address = 0;
    if (a->first == 0) {
        address = take_handle(a, size);
    } else if (size <= OMPLS_ARENA) { /* with a page behind it that is nobody's */
        ompls_block *block = ompls_take_block(&a->blocks, (size + PAGE - 1) / PAGE * PAGE + PAGE);
        if (block != NULL) {
            block->start = size;
            address = block->offset;
        }
    }
    if (address != 0) a->left -= size;
    return address;
}

uint64_t ompls_near_size(near_addresses *a, uint64_t address) {
    if (a->first == 0) {
        uint64_t handle = address >> OMPLS_HANDLE_BITS;
        return handle == 0 || handle > a->nhandles ? 0 : a->sizes[handle - 1];
    }
    ompls_block *block = ompls_find_block(&a->blocks, address);
    return block == NULL || block->offset != address ? 0 : block->start;
}

uint64_t ompls_near_give(near_addresses *a, uint64_t address) {
    uint64_t size = ompls_near_size(a, address);
    if (size == 0) return 0;
    if (a->first == 0) {
        uint32_t handle = (uint32_t)(address >> OMPLS_HANDLE_BITS);
        a->sizes[handle - 1] = 0;
        a->free[a->nfree++] = handle;
    } else {
        ompls_give_block(&a->blocks, ompls_find_block(&a->blocks, address));
    }
    a->left += size;
    return size;
}
