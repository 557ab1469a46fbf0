/* blocks.c -- which ranges of an arena are free, and which are taken.

   A block knows its neighbours, with which it is joined when both are free.  The free ones are in a tree by size (the
   smallest that is large enough is taken), the others in one by address.  The trees are treaps: what is above has the larger
   random number, so they are balanced on average, whatever is done in which order. */
#include <stdlib.h>

#include "sim.h"

static bool comes_before(const sim_block *a, const sim_block *b) {
    uint64_t first = a->used ? 0 : a->size, second = b->used ? 0 : b->size;
    return first != second ? first < second : a->offset < b->offset;
}

/* What comes before `at` goes to *low, the rest to *high. */
static void split(sim_blocks *of, sim_block *tree, const sim_block *at, sim_block **low, sim_block **high) {
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

static sim_block **tree_of(sim_blocks *of, const sim_block *block) {
    return block->used ? &of->used : &of->free;
}

static void put(sim_blocks *of, sim_block *block) {
    sim_block **place = tree_of(of, block);
    for (; *place != NULL && (*place)->priority >= block->priority; of->visited++)
        place = comes_before(block, *place) ? &(*place)->left : &(*place)->right;
    split(of, *place, block, &block->left, &block->right);
    *place = block;
}

static void take_out(sim_blocks *of, sim_block *block) {
    sim_block **place = tree_of(of, block), *low = block->left, *high = block->right;
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

static sim_block *make(sim_blocks *of, uint64_t offset, uint64_t size) {
    sim_block *block = calloc(1, sizeof *block);
    if (block == NULL) return NULL;
    of->random = of->random * 6364136223846793005u + 1442695040888963407u;
    block->priority = (uint32_t)(of->random >> 32);
    block->offset = offset;
    block->size = size;
    return block;
}

bool sim_make_blocks(sim_blocks *of, uint64_t offset, uint64_t size) {
    of->first = of->free = make(of, offset, size);
    return of->first != NULL;
}

void sim_drop_blocks(sim_blocks *of) {
    for (sim_block *b = of->first, *next; b != NULL; b = next) next = b->after, free(b);
}

sim_block *sim_take_block(sim_blocks *of, uint64_t size) {
    sim_block *best = NULL, *rest = NULL;
    for (sim_block *b = of->free; b != NULL; of->visited++) {
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

sim_block *sim_find_block(sim_blocks *of, uint64_t offset) {
    sim_block *found = NULL;
    for (sim_block *b = of->used; b != NULL; of->visited++) {
        if (b->offset <= offset) found = b;
        b = b->offset <= offset ? b->right : b->left;
    }
    return found != NULL && offset - found->offset < found->size ? found : NULL;
}

/* `b` becomes part of the one before it. */
static void join(sim_block *b) {
    b->before->size += b->size;
    b->before->after = b->after;
    if (b->after != NULL) b->after->before = b->before;
    free(b);
}

void sim_give_block(sim_blocks *of, sim_block *block) {
    sim_block *before = block->before, *after = block->after;
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
