/* memory.c -- the external memory: allocation, and copies that arrive in their order. */
#include "epiphany.h"

#include <sched.h>
#include <string.h>

enum { ALIGNMENT = 64 };

int epi_alloc(void *handle, uint64_t size, ompls_address *out, ompls_error *err) {
    board *b = handle;
    pthread_mutex_lock(&b->lock);
    uint64_t wanted = size < EPI_EXTERNAL_SIZE ? (size + ALIGNMENT) / ALIGNMENT * ALIGNMENT : 0;
    ompls_block *block = wanted != 0 && b->started ? ompls_take_block(&b->blocks, wanted) : NULL;
    pthread_mutex_unlock(&b->lock);
    if (block == NULL)
        return ompls_device_fail(err, "map less at a time", "no room for %llu bytes in the external memory (32 MiB)", (unsigned long long)size);
    *out = EPI_EXTERNAL + block->offset;
    return 0;
}

int epi_free(void *handle, ompls_address address, ompls_error *err) {
    board *b = handle;
    pthread_mutex_lock(&b->lock);
    ompls_block *block = address >= EPI_DATA ? ompls_find_block(&b->blocks, address - EPI_EXTERNAL) : NULL;
    bool begins = block != NULL && block->offset == address - EPI_EXTERNAL;
    if (begins) ompls_give_block(&b->blocks, block);
    pthread_mutex_unlock(&b->lock);
    return begins ? 0 : ompls_device_fail(err, "free what was allocated, once", "freeing %#llx: no allocation begins there", (unsigned long long)address);
}

static char *at(board *b, ompls_address address, uint64_t size, ompls_error *err) {
    if (address >= EPI_DATA && size <= EPI_EXTERNAL_SIZE && address - EPI_EXTERNAL <= EPI_EXTERNAL_SIZE - size) return b->memory + (address - EPI_EXTERNAL);
    ompls_device_fail(err, "use addresses of this device", "%#llx is not an address of this device", (unsigned long long)address);
    return NULL;
}

/* A word is written and read as a whole, after what was copied before it: kernels that stay wait for one. */
static bool is_word(uint32_t address, uint64_t size) {
    return size == 4 && address % 4 == 0;
}

int epi_copy_in(void *handle, ompls_address to, const void *from, uint64_t size, ompls_error *err) {
    char *there = at(handle, to, size, err);
    uint32_t word;
    if (there != NULL && is_word((uint32_t)to, size)) {
        memcpy(&word, from, sizeof word);
        __atomic_store_n((uint32_t *)(void *)there, word, __ATOMIC_SEQ_CST);
    } else if (there != NULL) {
        memcpy(there, from, size);
    }
    return there == NULL;
}

int epi_copy_out(void *handle, void *to, ompls_address from, uint64_t size, ompls_error *err) {
    const char *there = at(handle, from, size, err);
    uint32_t word, before;
    if (there != NULL && is_word((uint32_t)from, size)) {
        word = __atomic_load_n((const uint32_t *)(const void *)there, __ATOMIC_SEQ_CST);
        memcpy(&before, to, sizeof before);
        memcpy(to, &word, sizeof word);
        if (word == before) sched_yield(); /* it is looked at again and again: the cores are processes of this machine */
    } else if (there != NULL) {
        memcpy(to, there, size);
    }
    return there == NULL;
}

int epi_copy_within(void *handle, ompls_address to, ompls_address from, uint64_t size, ompls_error *err) {
    char *there = at(handle, to, size, err);
    const char *here = there != NULL ? at(handle, from, size, err) : NULL;
    if (here != NULL) memmove(there, here, size);
    return here == NULL;
}

int epi_attach(void *handle, ompls_address where, ompls_address target, ompls_error *err) {
    uint32_t pointer = (uint32_t)target;
    return epi_copy_in(handle, where, &pointer, sizeof pointer, err);
}
