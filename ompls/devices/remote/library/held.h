/* held.h -- what of the program's data far sides have already, and where: it is not sent again, as long as it is the same. */
#ifndef OMPLS_HELD_H
#define OMPLS_HELD_H
#include <stdbool.h>
#include <stdint.h>

#include "../../../runtime/core/device.h"
#include "digest.h"

enum { OMPLS_LEAST_HELD = 1 << 20 /* bytes */, OMPLS_MOST_HELD = 32, OMPLS_MOST_KEPT = 8 };

typedef struct near_device near_device;

/* It got these bytes from the program, from another far side, or the program got them from it.  They may have changed there. */
typedef struct {
    ompls_address at, kept; /* kept: the allocation, which the program has freed; else 0 */
    const void *bytes;      /* of the program; compared only */
    uint64_t size, sample;
    uint64_t since;         /* a later one than that of others: who gets them from elsewhere has them since the same time */
    ompls_digest digest;    /* of the bytes, if it is known that nothing has changed them */
    bool known;
    uint32_t given;         /* how often others got them from it or from those before it */
} near_held;

/* Those that this far side has.  Protected as it is. */
typedef struct {
    near_held of[OMPLS_MOST_HELD];
    uint32_t count, nkept;
    uint64_t kept; /* bytes */
} near_holds;

/* The device can be asked for what it has from now on. */
void ompls_near_joins(near_device *n);

/* All the others are called with the lock held. */

/* `size` bytes, the same as at `from`, come from a far side that has them.  -1: from none, the program has to send them. */
int ompls_near_reuse(near_device *n, ompls_address to, const void *from, uint64_t size, ompls_error *err);
/* It has what the program has at `bytes`. */
void ompls_near_has(near_device *n, ompls_address at, const void *bytes, uint64_t size);
/* These bytes there are written to. */
int ompls_near_changes(near_device *n, ompls_address at, uint64_t size, ompls_error *err);
/* Any may be written to. */
void ompls_near_may_change(near_device *n);
/* Whether an allocation is kept a while for what it holds, instead of being freed. */
bool ompls_near_keep(near_device *n, ompls_address allocation);
/* What is kept is freed. */
int ompls_near_free_kept(near_device *n, ompls_error *err);
#endif
