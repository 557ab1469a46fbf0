/* peers.c -- see peers.h.

   Both wait for each other, so before the pair of records either of them has no more to do than other such copies, and not
   many: kernels have ended, and nobody else says anything meanwhile, as both devices are locked.  Whoever is told of two copies is
   told in their order, so the first one that is not done has both of its far sides.  Who then hears nothing from the other
   one for the time of OMPLS_REMOTE_TIMEOUT has lost it.  Two that cannot meet copy through the host from then on. */
#define _GNU_SOURCE
#include "peers.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PASSING = 16 << 20, SMALLEST = 1 << 16 }; /* bytes; what a copy counts at least */

static _Atomic bool no_way; /* some could not meet: it would take as long with each pair */

/* Always in the order of their numbers. */
static void lock_both(near_device *a, near_device *b) {
    pthread_mutex_lock(a->index < b->index ? &a->lock : &b->lock);
    pthread_mutex_lock(a->index < b->index ? &b->lock : &a->lock);
}

static bool lock_both_soon(near_device *a, near_device *b) {
    near_device *first = a->index < b->index ? a : b, *second = first == a ? b : a;
    if (!near_lock_soon(first)) return false;
    if (near_lock_soon(second)) return true;
    pthread_mutex_unlock(&first->lock);
    return false;
}

static int unlock_both(near_device *a, near_device *b, int result) {
    pthread_mutex_unlock(&a->lock);
    pthread_mutex_unlock(&b->lock);
    return result;
}

/* A record with up to two texts. */
static bool say_texts(near_device *n, uint32_t what, uint64_t peer, const char *one, const char *other, ompls_error *err) {
    uint64_t first = one != NULL ? strlen(one) + 1 : 0, second = strlen(other) + 1;
    char *bytes = near_say(n, err, what, peer, (uint64_t)(n->line != NULL ? n->line->patience * 1000 : 0), 0, first + second);
    if (bytes == NULL) return false;
    if (first > 0) memcpy(bytes, one, first);
    memcpy(bytes + first, other, second);
    return true;
}

/* With both locks held.  False: they cannot. */
static bool meet(near_device *a, near_device *b) {
    ompls_error err = {0};
    uint64_t unused;
    a->port[0] = '\0';
    if (near_say(a, &err, WIRE_PORT, 0, 0, 0, 0) == NULL || near_answer(a, &unused, &err) != 0 || a->port[0] == '\0') return false;
    if (!say_texts(a, WIRE_ACCEPT, (uint64_t)b->index, NULL, b->machine, &err) || near_flush(a, &err) != 0) return false;
    a->asked = false;
    bool there = say_texts(b, WIRE_CONNECT, (uint64_t)a->index, a->port, a->machine, &err) && near_answer(b, &unused, &err) == 0;
    return (near_answer(a, &unused, &err) == 0) & there;
}

static bool have_met(near_device *a, near_device *b) {
    near_device **of_a = &a->peers[b->index], **of_b = &b->peers[a->index];
    if (*of_a != NULL || no_way || a->leaves || b->leaves) return *of_a != NULL;
    if (!meet(a, b)) {
        no_way = true;
        return false;
    }
    *of_a = b, *of_b = a;
    return true;
}

/* It can begin with so many bytes soon. */
static int ready(near_device *n, uint64_t bytes, ompls_error *err) {
    uint64_t unused;
    bool soon = n->line != NULL && !n->busy && (n->passing == 0 || n->passing + bytes <= MOST_PASSING);
    return soon ? 0 : near_answer(n, &unused, err);
}

static bool say_rows(near_device *n, uint32_t what, ompls_address at, uint64_t size, near_device *peer, uint32_t ndims, const uint64_t *counts,
                     const uint64_t *strides, ompls_error *err) {
    char *bytes = near_say(n, err, what, at, size, (uint64_t)peer->index, ndims * sizeof(wire_dimension));
    for (uint32_t i = 0; bytes != NULL && i < ndims; i++)
        memcpy(bytes + i * sizeof(wire_dimension), &(wire_dimension){counts[i], strides[i]}, sizeof(wire_dimension));
    n->asked = false;
    n->passing += SMALLEST; /* the message itself */
    n->passed = n->syncs;
    return bytes != NULL;
}

typedef struct {
    ompls_address to, from;
    uint64_t size; /* of a row */
    uint32_t ndims;
    const uint64_t *counts, *to_strides, *from_strides;
} rows;

/* With both locks held. */
static int pass(near_device *taker, near_device *giver, rows rows, uint64_t total, ompls_error *err) {
    if (ready(giver, total, err) != 0 || ready(taker, total, err) != 0) return 1;
    if (!have_met(taker, giver)) return -1;
    bool said = say_rows(giver, WIRE_GIVE, rows.from, rows.size, taker, rows.ndims, rows.counts, rows.from_strides, err) &&
                say_rows(taker, WIRE_TAKE, rows.to, rows.size, giver, rows.ndims, rows.counts, rows.to_strides, err);
    giver->passing += total, taker->passing += total;
    return !said || near_flush(giver, err) != 0 || near_flush(taker, err) != 0;
}

int ompls_near_copy_peer_rows(void *device, ompls_address to, void *from_device, ompls_address from, uint64_t size, uint32_t ndims,
                              const uint64_t *counts, const uint64_t *to_strides, const uint64_t *from_strides, ompls_error *err) {
    near_device *taker = device, *giver = from_device;
    uint64_t total = size;
    for (uint32_t i = 0; i < ndims; i++) total *= counts[i];
    if (total == 0) return 0;
    if (!taker->near->peers || ndims > OMPLS_DIMENSIONS || taker->index >= OMPLS_MOST_PEERS || giver->index >= OMPLS_MOST_PEERS) return -1;
    lock_both(taker, giver);
    ompls_near_may_change(taker);
    if (ompls_near_elsewhere(&taker->addresses, to) || ompls_near_elsewhere(&giver->addresses, from))
        return unlock_both(taker, giver, near_fail(taker, err, 0, "an address is another device's", "look which device each address is of"));
    int failed = pass(taker, giver, (rows){to, from, size, ndims, counts, to_strides, from_strides}, total, err);
    if (failed == 0) { /* who waits for it shall know whether it could be done */
        uint64_t unused;
        ompls_error other;
        failed = near_answer(giver, &unused, err);
        if (near_answer(taker, &unused, failed != 0 ? &other : err) != 0) failed = 1;
    }
    return unlock_both(taker, giver, failed);
}

int ompls_near_pass(near_device *taker, near_device *giver, ompls_address to, ompls_address from, uint64_t size, ompls_error *err) {
    if (taker->index >= OMPLS_MOST_PEERS || giver->index >= OMPLS_MOST_PEERS) return -1;
    return pass(taker, giver, (rows){to, from, size, 0, NULL, NULL, NULL}, size, err);
}

int ompls_near_copy_peer(void *device, ompls_address to, void *from_device, ompls_address from, uint64_t size, ompls_error *err) {
    return ompls_near_copy_peer_rows(device, to, from_device, from, size, 0, NULL, NULL, NULL, err);
}

void ompls_near_part(near_device *n) {
    ompls_error err;
    for (int i = 0; i < OMPLS_MOST_PEERS; i++) {
        near_device *peer = n->peers[i];
        if (peer == NULL || !lock_both_soon(n, peer)) continue;
        n->peers[i] = NULL;
        peer->peers[n->index] = NULL;
        if (n->line != NULL && peer->line != NULL && near_say(n, &err, WIRE_PART, (uint64_t)i, 0, 0, 0) != NULL &&
            near_say(peer, &err, WIRE_PART, (uint64_t)n->index, 0, 0, 0) != NULL && near_flush(n, &err) == 0)
            near_flush(peer, &err);
        unlock_both(n, peer, 0);
    }
}
