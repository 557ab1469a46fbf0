/* digest.c -- see digest.h.  Each step can be undone, so one other word never goes unseen; the lanes are done side by side, about
   as fast as memory is read. */
#include "digest.h"

#include <string.h>

static const uint64_t STEP = 0x9e3779b97f4a7c15; /* odd */

static inline uint64_t mixed(uint64_t state, uint64_t word) {
    state = (state ^ word) * STEP;
    return state ^ state >> 32;
}

void ompls_digest_begin(ompls_digesting *d, uint64_t key) {
    for (int i = 0; i < OMPLS_LANES; i++) d->lane[i] = key = mixed(key, (uint64_t)i + 1);
}

static inline void add_stripe(uint64_t *lane, const char *bytes) {
    uint64_t words[OMPLS_LANES];
    memcpy(words, bytes, sizeof words);
    #pragma GCC unroll 8
    for (int i = 0; i < OMPLS_LANES; i++) lane[i] = mixed(lane[i], words[i]);
}

void ompls_digest_add(ompls_digesting *d, const void *bytes, uint64_t size) {
    ompls_digesting now = *d;
    const char *at = bytes, *end = at + size / OMPLS_STRIPE * OMPLS_STRIPE;
    for (; at < end; at += OMPLS_STRIPE) add_stripe(now.lane, at);
    if (size % OMPLS_STRIPE != 0) {
        char last[OMPLS_STRIPE] = {0};
        memcpy(last, at, size % OMPLS_STRIPE);
        add_stripe(now.lane, last);
    }
    *d = now;
}

ompls_digest ompls_digest_end(const ompls_digesting *d) {
    ompls_digest found = {{1, 2}};
    for (int i = 0; i < OMPLS_LANES; i++)
        for (int k = 0; k < 2; k++) found.of[k] = mixed(mixed(found.of[k], d->lane[i]), (uint64_t)k);
    return found;
}
