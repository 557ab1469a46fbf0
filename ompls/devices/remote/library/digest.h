/* digest.h -- whether bytes here and bytes elsewhere are the same, without sending them. */
#ifndef OMPLS_DIGEST_H
#define OMPLS_DIGEST_H
#include <stdint.h>

enum { OMPLS_LANES = 8, OMPLS_STRIPE = OMPLS_LANES * 8 /* bytes */ };

typedef struct {
    uint64_t of[2];
} ompls_digest;

typedef struct {
    uint64_t lane[OMPLS_LANES];
} ompls_digesting;

/* With one key, other bytes of the same length have the same digest by chance only: once in 2 to the power of 64. */
void ompls_digest_begin(ompls_digesting *d, uint64_t key);
/* All but the last are multiples of OMPLS_STRIPE. */
void ompls_digest_add(ompls_digesting *d, const void *bytes, uint64_t size);
ompls_digest ompls_digest_end(const ompls_digesting *d);
#endif
