/* memory.c -- see memory.h. */
#define _GNU_SOURCE
#include "memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "wire.h"

enum { ZEROS = 1 << 16, MOST_SLOTS = 1 << 22, SMALL = 1 << 16 };

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

static int fail(ompls_error *err, const char *what, int why, const char *hint) {
    snprintf(err->reason, sizeof err->reason, "%s: %s", what, strerror(why));
    snprintf(err->hint, sizeof err->hint, "%s", hint);
    return 1;
}

static void *map(uint64_t address, uint64_t size, int access, int how) {
    return mmap((void *)(uintptr_t)address, size, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | how, -1, 0);
}

static uint64_t pages(uint64_t size) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) / page * page;
}

bool ompls_far_reserve(far_memory *memory, uint64_t first, uint64_t size) {
    if (first == 0 || size == 0 || first % pages(1) != 0) return false;
    void *found = map(first, size, PROT_NONE, MAP_FIXED_NOREPLACE);
    if (found == MAP_FAILED) return false;
    if (found != (void *)(uintptr_t)first) { /* a kernel that takes the address for a wish */
        munmap(found, size);
        return false;
    }
    memory->first = first, memory->last = first + size;
    return true;
}

static const void *object_of(uint64_t address) {
    Dl_info object;
    return dladdr((void *)(uintptr_t)address, &object) != 0 ? object.dli_fbase : NULL;
}

static bool in_arena(const far_memory *memory, ompls_address named, uint64_t size) {
    return named >= memory->first && named <= memory->last && size <= memory->last - named;
}

static uint64_t slot_of(const far_memory *memory, ompls_address named) {
    uint64_t slot = named >> OMPLS_HANDLE_BITS;
    return memory->first == 0 && slot > 0 && slot <= memory->nslots ? slot : 0;
}

ompls_address ompls_far_address(const far_memory *memory, ompls_address named) {
    uint64_t slot = slot_of(memory, named);
    if (slot == 0 || memory->slots[slot - 1] == 0) return named;
    return memory->slots[slot - 1] + (named & (((uint64_t)1 << OMPLS_HANDLE_BITS) - 1)) - OMPLS_HANDLE_BEGIN;
}

static int set_slot(far_memory *memory, ompls_address named, ompls_address real, ompls_error *err) {
    uint64_t slot = named >> OMPLS_HANDLE_BITS;
    if (slot == 0 || slot > MOST_SLOTS) return fail(err, "naming memory", EINVAL, "free what is not needed");
    if (slot > memory->nslots) {
        uint64_t more = slot + slot / 2 + 64;
        ompls_address *grown = realloc(memory->slots, more * sizeof *grown);
        if (grown == NULL) return fail(err, "naming memory", errno, "map less at a time");
        memset(grown + memory->nslots, 0, (more - memory->nslots) * sizeof *grown);
        memory->slots = grown, memory->nslots = more;
    }
    memory->slots[slot - 1] = real;
    return 0;
}

static int close_pages(uint64_t address, uint64_t size, ompls_error *err) {
    bool made = map(address, size, PROT_NONE, MAP_FIXED) != MAP_FAILED;
    return made ? 0 : fail(err, "freeing memory", errno, "map less at a time");
}

int ompls_far_close(far_memory *memory, ompls_error *err) {
    int failed = 0;
    for (; memory->nfreed > 0; memory->nfreed--)
        failed |= close_pages(memory->freed[memory->nfreed - 1].address, memory->freed[memory->nfreed - 1].size, err);
    return failed;
}

/* The same pages that were freed just now are still there. */
static bool take_freed(far_memory *memory, uint64_t address, uint64_t size) {
    for (uint32_t i = 0; i < memory->nfreed; i++) {
        if (memory->freed[i].address != address || memory->freed[i].size != size) continue;
        memory->freed[i] = memory->freed[--memory->nfreed];
        memset((void *)(uintptr_t)address, 0, size);
        return true;
    }
    return false;
}

int ompls_far_alloc(far_memory *memory, ompls_address named, uint64_t size, ompls_error *err) {
    if (memory->first != 0) {
        if (!in_arena(memory, named, pages(size))) return fail(err, "allocating memory", EINVAL, "build the program again");
        if (take_freed(memory, named, pages(size))) return 0;
        if (ompls_far_close(memory, err) != 0) return 1;
        bool made = map(named, pages(size), PROT_READ | PROT_WRITE, MAP_FIXED) != MAP_FAILED;
        if (made && size >= 1 << 21) madvise((void *)(uintptr_t)named, size, MADV_HUGEPAGE);
        return made ? 0 : fail(err, "allocating memory", errno, "map less at a time");
    }
    static const char zeros[ZEROS];
    ompls_address real = 0;
    if (memory->module->alloc(memory->device, size, &real, err) != 0) return 1;
    for (uint64_t at = 0; at < size; at += ZEROS)
        if (memory->module->copy_in(memory->device, real + at, zeros, size - at < ZEROS ? size - at : ZEROS, err) != 0) return 1;
    return set_slot(memory, named, real, err);
}

int ompls_far_free(far_memory *memory, ompls_address named, uint64_t size, ompls_error *err) {
    if (memory->first != 0) {
        if (!in_arena(memory, named, pages(size))) return fail(err, "freeing memory", EINVAL, "build the program again");
        if (pages(size) > SMALL) return close_pages(named, pages(size), err);
        if (memory->nfreed == OMPLS_MOST_FREED && ompls_far_close(memory, err) != 0) return 1;
        memory->freed[memory->nfreed].address = named;
        memory->freed[memory->nfreed++].size = pages(size);
        return 0;
    }
    uint64_t slot = slot_of(memory, named);
    if (slot == 0 || memory->slots[slot - 1] == 0) return fail(err, "freeing memory", EINVAL, "build the program again");
    ompls_address real = memory->slots[slot - 1];
    memory->slots[slot - 1] = 0;
    return memory->module->free(memory->device, real, err);
}

int ompls_far_bind(far_memory *memory, ompls_address named, ompls_address variable, ompls_address *out, ompls_error *err) {
    *out = memory->first != 0 ? variable : named;
    memory->object = object_of(variable);
    return memory->first != 0 ? 0 : set_slot(memory, named, variable, err);
}

bool ompls_far_known(const far_memory *memory, ompls_address named, uint64_t size, ompls_error *err) {
    uint64_t slot = slot_of(memory, named);
    if (size == 0 || (slot != 0 && memory->slots[slot - 1] != 0) || in_arena(memory, named, size)) return true;
    if (memory->object != NULL && object_of(named) == memory->object && object_of(named + size - 1) == memory->object) return true;
    snprintf(err->reason, sizeof err->reason, "address 0x%" PRIx64 " is not the device's", named);
    snprintf(err->hint, sizeof err->hint, "look which device each address is of");
    return false;
}

bool ompls_far_direct(const far_memory *memory, ompls_address named, uint64_t size) {
    return memory->first != 0 && in_arena(memory, named, size);
}
