/* held.c -- see held.h.

   What is remembered of data are hints: the far side that has them tells a digest of what is there now, and only where that is
   the digest of what the program has do they come from there.  A far side that runs a kernel, or with which somebody talks, is
   not asked, as nobody shall wait for that.  Who asks once knows it for good, until a kernel is launched there: so what goes
   to many far sides spreads in a tree, for which nobody waits. */
#define _GNU_SOURCE
#include "held.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/random.h>

#include "peers.h"

enum { SPOTS = 64, MOST_DEVICES = 256 };

static near_device *devices[MOST_DEVICES];
static _Atomic uint32_t ndevices;

void ompls_near_joins(near_device *n) {
    uint32_t place = ndevices++;
    if (place < MOST_DEVICES) devices[place] = n;
}

/* --- what is the same ---------------------------------------------------------------------------------------------------- */

/* The same in the whole program, and nobody knows it before. */
static uint64_t the_key(void) {
    static _Atomic uint64_t key;
    uint64_t drawn = 0, none = 0;
    if (key != 0) return key;
    if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn || drawn == 0) drawn = (uintptr_t)&key;
    atomic_compare_exchange_strong(&key, &none, drawn);
    return key;
}

static ompls_digest digest_of(const void *bytes, uint64_t size) {
    ompls_digesting d;
    ompls_digest_begin(&d, the_key());
    ompls_digest_add(&d, bytes, size);
    return ompls_digest_end(&d);
}

/* Of some bytes here and there: fast. */
static uint64_t sample_of(const char *bytes, uint64_t size) {
    ompls_digesting d;
    ompls_digest_begin(&d, the_key());
    for (uint64_t i = 0; i < SPOTS; i++) ompls_digest_add(&d, bytes + (size - OMPLS_STRIPE) / (SPOTS - 1) * i, OMPLS_STRIPE);
    return ompls_digest_end(&d).of[0];
}

/* Asks while the program's are being looked at. */
static int is_same(near_device *giver, near_held *held, const void *bytes, bool *same, ompls_error *err) {
    ompls_properties unused;
    wire_record answer = {0};
    bool asks = !held->known;
    if (asks && (near_say(giver, err, WIRE_DIGEST, held->at, held->size, the_key(), 0) == NULL || near_flush(giver, err) != 0)) return 1;
    ompls_digest ours = digest_of(bytes, held->size), theirs = held->digest;
    if (asks) {
        if (near_wait(giver, &answer, &unused, err) != 0) return 1;
        if (answer.what != WIRE_VALUE) return near_damaged(giver, err);
        theirs = (ompls_digest){{answer.a, answer.b}};
    }
    *same = memcmp(&ours, &theirs, sizeof ours) == 0;
    held->known = *same;
    held->digest = ours;
    return 0;
}

/* --- what is remembered -------------------------------------------------------------------------------------------------- */

static int forget(near_device *n, near_held *held, ompls_error *err) {
    ompls_address kept = held->kept;
    memmove(held, held + 1, (size_t)(n->holds.of + --n->holds.count - held) * sizeof *held);
    if (kept == 0) return 0;
    uint64_t size = ompls_near_give(&n->addresses, kept);
    n->holds.kept -= size, n->holds.nkept--;
    return n->line != NULL && near_say(n, err, WIRE_FREE, kept, size, 0, 0) == NULL;
}

int ompls_near_changes(near_device *n, ompls_address at, uint64_t size, ompls_error *err) {
    int failed = 0;
    for (uint32_t i = n->holds.count; i-- > 0;) {
        near_held *held = &n->holds.of[i];
        if (held->kept == 0 && held->at < at + size && at < held->at + held->size) failed |= forget(n, held, err);
    }
    return failed;
}

void ompls_near_may_change(near_device *n) {
    for (uint32_t i = 0; i < n->holds.count; i++) n->holds.of[i].known = false;
}

static near_held *remember(near_device *n, ompls_address at, const void *bytes, uint64_t size, uint64_t sample) {
    static _Atomic uint64_t clock;
    ompls_error unused;
    ompls_near_changes(n, at, size, &unused);
    if (n->holds.count == OMPLS_MOST_HELD) forget(n, &n->holds.of[0], &unused); /* the oldest one */
    near_held *held = &n->holds.of[n->holds.count++];
    *held = (near_held){.at = at, .bytes = bytes, .size = size, .sample = sample, .since = ++clock};
    return held;
}

void ompls_near_has(near_device *n, ompls_address at, const void *bytes, uint64_t size) {
    if (n->many > 0 && size >= OMPLS_LEAST_HELD) remember(n, at, bytes, size, sample_of(bytes, size));
}

/* What has been kept for the longest time, of these bytes of the program or (0) of any, is freed.  False: nothing is. */
static bool free_oldest(near_device *n, const void *bytes) {
    ompls_error unused;
    uint32_t i = 0;
    while (i < n->holds.count && (n->holds.of[i].kept == 0 || (bytes != NULL && n->holds.of[i].bytes != bytes))) i++;
    return i < n->holds.count && forget(n, &n->holds.of[i], &unused) == 0;
}

bool ompls_near_keep(near_device *n, ompls_address allocation) {
    enum { SKEW = 64, SHARE = 16 }; /* the core moves what it allocates by so little */
    uint32_t i = 0;
    while (i < n->holds.count && (n->holds.of[i].kept != 0 || n->holds.of[i].at - allocation >= SKEW)) i++;
    if (i == n->holds.count) return false;
    near_held held = n->holds.of[i];
    uint64_t size = ompls_near_size(&n->addresses, allocation), most = n->properties.memory / SHARE / n->many;
    ompls_error unused;
    ompls_near_changes(n, allocation, size, &unused); /* what else is known of it, too */
    if (size == 0 || size > most) return false;
    free_oldest(n, held.bytes); /* this is newer */
    while (n->holds.kept + size > most || n->holds.nkept == OMPLS_MOST_KEPT)
        if (!free_oldest(n, NULL)) return false;
    held.kept = allocation;
    n->holds.kept += size, n->holds.nkept++;
    n->holds.of[n->holds.count++] = held;
    return true;
}

int ompls_near_free_kept(near_device *n, ompls_error *err) {
    int failed = 0;
    for (uint32_t i = n->holds.count; i-- > 0;)
        if (n->holds.of[i].kept != 0) failed |= forget(n, &n->holds.of[i], err);
    return failed;
}

/* --- where it comes from ------------------------------------------------------------------------------------------------- */

/* What is newer is more likely the same; then what is known to be; then what was given the least often: that makes the tree. */
static bool is_better(const near_held *one, const near_held *other) {
    if (one == NULL || other == NULL) return one != NULL;
    if (one->since != other->since) return one->since > other->since;
    return one->known != other->known ? one->known : one->given < other->given;
}

static near_held *found_at(near_device *n, uint64_t size, uint64_t sample) {
    near_held *best = NULL;
    for (uint32_t i = 0; i < n->holds.count && n->line != NULL && !n->busy; i++) {
        near_held *held = &n->holds.of[i];
        if (held->size == size && held->sample == sample && is_better(held, best)) best = held;
    }
    return best;
}

/* Who has it best: if that is another one, it is locked, too, without waiting, whatever the order of locks. */
static near_device *find(near_device *n, uint64_t size, uint64_t sample) {
    near_held *held = found_at(n, size, sample);
    near_device *best = held != NULL ? n : NULL;
    uint32_t count = ndevices < MOST_DEVICES ? ndevices : MOST_DEVICES;
    for (uint32_t i = 0; i < count; i++) {
        near_device *other = devices[i];
        if (other == NULL || other == n || other->near != n->near || pthread_mutex_trylock(&other->lock) != 0) continue;
        near_held *theirs = found_at(other, size, sample);
        bool better = best != n ? is_better(theirs, held) : theirs != NULL && theirs->since > held->since;
        near_device *worse = better ? best : other;
        if (better) best = other, held = theirs;
        if (worse != NULL && worse != n) pthread_mutex_unlock(&worse->lock);
    }
    return best;
}

/* With both locks held. */
static int get(near_device *n, near_device *giver, ompls_address to, const void *from, uint64_t size, uint64_t sample, ompls_error *err) {
    bool same = false;
    near_held *held = found_at(giver, size, sample);
    if (n == giver && held->at < to + size && to < held->at + size && held->at != to) return -1;
    if (is_same(giver, held, from, &same, err) != 0) return giver->line == NULL ? -1 : 1;
    if (!same) return forget(giver, held, err) != 0 ? 1 : -1;
    if (n == giver && held->at == to) return 0;
    held->given++;
    near_held now = *held;
    if (n == giver) {
        if (near_say(n, err, WIRE_COPY, to, now.at, size, 0) == NULL) return 1;
    } else {
        bool asked = n->asked, giver_asked = giver->asked;
        int passed = ompls_near_pass(n, giver, to, now.at, size, err);
        if (passed == 0) n->asked = asked, giver->asked = giver_asked; /* nobody waits: the program's memory is not in it */
        if (passed != 0) return passed > 0 && giver->line == NULL && n->line != NULL ? -1 : passed;
    }
    held = remember(n, to, from, size, sample);
    now.at = to, now.bytes = from, now.kept = 0;
    *held = now;
    return 0;
}

int ompls_near_reuse(near_device *n, ompls_address to, const void *from, uint64_t size, ompls_error *err) {
    if (size < OMPLS_LEAST_HELD || n->many == 0) return -1;
    uint64_t sample = sample_of(from, size);
    near_device *giver = find(n, size, sample);
    if (giver == NULL) return -1;
    int failed = get(n, giver, to, from, size, sample, err);
    if (giver != n) pthread_mutex_unlock(&giver->lock);
    return failed;
}
