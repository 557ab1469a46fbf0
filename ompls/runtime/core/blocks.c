/* blocks.c -- see blocks.h.

   A block knows its neighbours, with which it is joined when both are free.  The free ones are in a tree by size (the
   smallest that is large enough is taken), the others in one by address.  The trees are treaps: what is above has the larger
   random number, so they are balanced on average, whatever is done in which order. */
#include "blocks.h"

#include <stddef.h>
#include <stdlib.h>

static bool comes_before(const ompls_block *a, const ompls_block *b) {
    uint64_t first = a->used ? 0 : a->size, second = b->used ? 0 : b->size;
    return first != second ? first < second : a->offset < b->offset;
}

/* What comes before `at` goes to *low, the rest to *high. */
static void split(ompls_blocks *of, ompls_block *tree, const ompls_block *at, ompls_block **low, ompls_block **high) {
    for (; tree != NULL; of->visited++) {
        if (comes_before(tree, at)) {
            *low = tree;
            low = &tree->right;
            tree = tree->right;
        } else {
            *high = tree;
            high = &tree->left;
            tree = tree->left;
        }
    }
    *low = *high = NULL;
}

static ompls_block **tree_of(ompls_blocks *of, const ompls_block *block) {
    return block->used ? &of->used : &of->free;
}

static void put(ompls_blocks *of, ompls_block *block) {
    ompls_block **place = tree_of(of, block);
    for (; *place != NULL && (*place)->priority >= block->priority; of->visited++)
        place = comes_before(block, *place) ? &(*place)->left : &(*place)->right;
    split(of, *place, block, &block->left, &block->right);
    *place = block;
}

static void take_out(ompls_blocks *of, ompls_block *block) {
    ompls_block **place = tree_of(of, block), *low = block->left, *high = block->right;
    for (; *place != block; of->visited++) place = comes_before(block, *place) ? &(*place)->left : &(*place)->right;
    for (; low != NULL && high != NULL; of->visited++) {
        if (low->priority >= high->priority) {
            *place = low;
            place = &low->right;
            low = low->right;
        } else {
            *place = high;
            place = &high->left;
            high = high->left;
        }
    }
    *place = low != NULL ? low : high;
}

static ompls_block *make(ompls_blocks *of, uint64_t offset, uint64_t size) {
    ompls_block *block = calloc(1, sizeof *block);
    if (block == NULL) return NULL;
    of->random = of->random * 6364136223846793005u + 1442695040888963407u;
    block->priority = (uint32_t)(of->random >> 32);
    block->offset = offset;
    block->size = size;
    return block;
}

bool ompls_make_blocks(ompls_blocks *of, uint64_t offset, uint64_t size) {
    of->first = of->free = make(of, offset, size);
    return of->first != NULL;
}

void ompls_drop_blocks(ompls_blocks *of) {
    for (ompls_block *b = of->first, *next; b != NULL; b = next) next = b->after, free(b);
}

ompls_block *ompls_take_block(ompls_blocks *of, uint64_t size) {
    ompls_block *best = NULL, *rest = NULL;
    for (ompls_block *b = of->free; b != NULL; of->visited++) {
        if (b->size >= size) best = b;
        b = b->size >= size ? b->left : b->right;
    }
    if (best == NULL || (best->size > size && (rest = make(of, best->offset + size, best->size - size)) == NULL)) return NULL;
    take_out(of, best);
    if (rest != NULL) {
        rest->before = best;
        rest->after = best->after;
        if (rest->after != NULL) rest->after->before = rest;
        best->after = rest;
        best->size = size;
        put(of, rest);
    }
    best->used = true;
    put(of, best);
    return best;
}

ompls_block *ompls_find_block(ompls_blocks *of, uint64_t offset) {
    ompls_block *found = NULL;
    for (ompls_block *b = of->used; b != NULL; of->visited++) {
        if (b->offset <= offset) found = b;
        b = b->offset <= offset ? b->right : b->left;
    }
    return found != NULL && offset - found->offset < found->size ? found : NULL;
}

/* `b` becomes part of the one before it. */
static void join(ompls_block *b) {
    b->before->size += b->size;
    b->before->after = b->after;
    if (b->after != NULL) b->after->before = b->before;
    free(b);
}

void ompls_give_block(ompls_blocks *of, ompls_block *block) {
    ompls_block *before = block->before, *after = block->after;
    take_out(of, block);
    block->used = false;
    if (after != NULL && !after->used) {
        take_out(of, after);
        join(after);
    }
    if (before != NULL && !before->used) {
        take_out(of, before);
        join(block);
        block = before;
    }
    put(of, block);
}
