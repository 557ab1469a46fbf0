/* addresses.h -- the addresses of a device that is elsewhere: the program chooses them, so that nobody waits. */
#ifndef OMPLS_ADDRESSES_H
#define OMPLS_ADDRESSES_H
#include <stdbool.h>
#include <stdint.h>

#include "../../../runtime/core/blocks.h"

#define OMPLS_ARENA ((uint64_t)1 << 38)

typedef struct {
    uint64_t first;     /* of the arena; 0: handles are given */
    uint64_t left;      /* bytes of memory there */
    ompls_blocks blocks;
    uint64_t *sizes;    /* of handle i, from 1 on */
    uint32_t *free, nfree, nhandles, room;
} near_addresses;

/* The first address of arena `index`, which nothing of this process will ever have; 0: it cannot be reserved. */
uint64_t ompls_near_reserve(int index);
/* Whether it is in the arena of another device. */
bool ompls_near_elsewhere(const near_addresses *a, uint64_t address);
bool ompls_near_addresses_make(near_addresses *a, uint64_t first, uint64_t memory);
void ompls_near_addresses_drop(near_addresses *a);
/* An address for so many bytes; 0: there is not so much memory. */
uint64_t ompls_near_take(near_addresses *a, uint64_t size);
/* Of what was taken there; 0: nothing was. */
uint64_t ompls_near_size(near_addresses *a, uint64_t address);
/* It is free again; its size, 0: it is none of these. */
uint64_t ompls_near_give(near_addresses *a, uint64_t address);
#endif
