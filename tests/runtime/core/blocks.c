/* The blocks of an arena: random use beside a model that marks each page; then how many blocks an operation looks at. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"

enum { PAGES = 2000, MOST = 300 };

/* The size of the smallest free range that is large enough; 0: there is none. */
static uint64_t best(const char *taken, uint64_t size) {
    uint64_t found = 0;
    for (uint64_t i = 0, length; i < PAGES; i += length + 1) {
        for (length = 0; i + length < PAGES && !taken[i + length]; length++) continue;
        if (length >= size && (found == 0 || length < found)) found = length;
    }
    return found;
}

static void follow_the_model(void) {
    static char taken[PAGES];
    ompls_block *live[MOST];
    int count = 0;
    ompls_blocks blocks = {0};
    assert(ompls_make_blocks(&blocks, 0, PAGES));
    for (int step = 0; step < 20000; step++) {
        if (count < MOST && rand() % 2 == 0) {
            uint64_t size = 1 + (uint64_t)(rand() % 4 == 0 ? rand() % 100 : rand() % 6), room = best(taken, size);
            ompls_block *block = ompls_take_block(&blocks, size);
            assert((block != NULL) == (room != 0));
            if (block == NULL) continue;
            uint64_t behind = block->offset + size;
            assert(block->size == size && memchr(taken + block->offset, 1, size) == NULL);
            assert(block->offset == 0 || taken[block->offset - 1]); /* at the beginning of the room */
            assert(behind + room - size == PAGES || taken[behind + room - size]);
            memset(taken + block->offset, 1, size);
            live[count++] = block;
        } else if (count > 0) {
            int which = rand() % count;
            ompls_block *block = live[which];
            assert(ompls_find_block(&blocks, block->offset + block->size - 1) == block);
            memset(taken + block->offset, 0, block->size);
            ompls_give_block(&blocks, block);
            live[which] = live[--count];
        }
        uint64_t page = (uint64_t)(rand() % PAGES);
        assert((ompls_find_block(&blocks, page) != NULL) == taken[page]);
    }
    while (count > 0) ompls_give_block(&blocks, live[--count]);
    ompls_block *whole = ompls_take_block(&blocks, PAGES);
    assert(whole != NULL && whole->offset == 0 && ompls_take_block(&blocks, 1) == NULL);
    ompls_drop_blocks(&blocks);
}

static void count_steps(int count) {
    ompls_blocks blocks = {0};
    ompls_block **made = calloc((size_t)count, sizeof *made);
    assert(made != NULL && ompls_make_blocks(&blocks, 0, (uint64_t)1 << 40));
    for (int i = 0; i < count; i++) assert((made[i] = ompls_take_block(&blocks, 1 + (uint64_t)i % 7)) != NULL);
    for (int i = 0; i < count; i += 2) ompls_give_block(&blocks, made[i]); /* as many holes as there can be */
    blocks.visited = 0;
    for (int i = 0; i < count; i += 2) {
        ompls_block *block = ompls_take_block(&blocks, 1 + (uint64_t)i % 7);
        assert(block != NULL && ompls_find_block(&blocks, block->offset) == block);
        ompls_give_block(&blocks, block);
    }
    printf("%d %.1f\n", count, (double)blocks.visited / (count / 2));
    ompls_drop_blocks(&blocks);
    free(made);
}

int main(void) {
    follow_the_model();
    for (int count = 100; count <= 1000000; count *= 100) count_steps(count);
    return 0;
}
