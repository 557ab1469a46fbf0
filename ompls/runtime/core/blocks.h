/* blocks.h -- which ranges of a device's memory are free, for modules that give its addresses themselves.  Each function takes a
   time that grows with the logarithm of their number. */
#ifndef OMPLS_BLOCKS_H
#define OMPLS_BLOCKS_H
#include <stdbool.h>
#include <stdint.h>

typedef struct ompls_block {
    struct ompls_block *before, *after; /* the neighbours */
    struct ompls_block *left, *right;   /* in the tree of the free ones, or of the others */
    uint32_t priority;
    bool used;
    uint64_t offset, size;
    uint64_t start; /* whoever takes it keeps something here */
} ompls_block;

typedef struct {
    ompls_block *first, *free, *used;
    uint64_t random;
    uint64_t visited; /* how many were looked at */
} ompls_blocks;

bool ompls_make_blocks(ompls_blocks *of, uint64_t offset, uint64_t size); /* one, free; false: out of memory, as 0 is below */
void ompls_drop_blocks(ompls_blocks *of);
ompls_block *ompls_take_block(ompls_blocks *of, uint64_t size);
ompls_block *ompls_find_block(ompls_blocks *of, uint64_t offset); /* the one that is taken there; 0: none is */
void ompls_give_block(ompls_blocks *of, ompls_block *block);
#endif
