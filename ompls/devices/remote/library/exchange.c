/* exchange.c -- see exchange.h.  What is contiguous in memory that the line may touch goes without a copy; all else in pieces. */
#define _GNU_SOURCE
#include "exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    ompls_line *line;
    char name[128];
    bool broken, told; /* something has been lost on the way; it was told so */
} far_peer;

static far_peer *peers[OMPLS_MOST_PEERS];

static int fail(ompls_error *err, const char *what, const char *name, const char *hint) {
    snprintf(err->reason, sizeof err->reason, "%s %.127s", what, name);
    snprintf(err->hint, sizeof err->hint, "%s", hint);
    return 1;
}

static int damaged(ompls_error *err) {
    err->fatal = OMPLS_LOST_NOW;
    return fail(err, "what is said of another device is damaged", "", "build the program again with one version of ompls");
}

int ompls_far_port(ompls_line *line, char *name, ompls_error *err) {
    bool found = line->meeting != NULL && line->meeting->port(line, name);
    return found ? 0 : fail(err, "it cannot be reached by others", "", "copy through the host");
}

int ompls_far_meet(ompls_line *line, const wire_record *r, const char *texts, ompls_error *err) {
    bool connects = r->what == WIRE_CONNECT;
    const char *end = r->length == 0 || texts[r->length - 1] != '\0' ? NULL : texts + r->length;
    const char *name = end == NULL ? NULL : connects ? texts + strlen(texts) + 1 : texts;
    if (name == NULL || name >= end || r->a >= OMPLS_MOST_PEERS || peers[r->a] != NULL || line->meeting == NULL) return damaged(err);
    far_peer *peer = calloc(1, sizeof *peer);
    if (peer != NULL) peer->line = line->meeting->meet(line, connects ? texts : NULL, (double)r->b / 1000);
    if (peer == NULL || peer->line == NULL) {
        free(peer);
        return fail(err, "it does not reach", name, "look whether they may connect to each other");
    }
    snprintf(peer->name, sizeof peer->name, "%s", name);
    peers[r->a] = peer;
    return 0;
}

void ompls_far_part(ompls_line *line, uint64_t number) {
    if (number >= OMPLS_MOST_PEERS || peers[number] == NULL) return;
    line->meeting->part(line, peers[number]->line);
    free(peers[number]);
    peers[number] = NULL;
}

/* --- rows ---------------------------------------------------------------------------------------------------------------- */

typedef struct {
    const far_memory *memory;
    wire_dimension of[OMPLS_DIMENSIONS];
    uint64_t at[OMPLS_DIMENSIONS]; /* which row */
    uint32_t count;
    uint64_t row, done;            /* bytes of a row, and of this one so far */
    ompls_address begin;           /* of this row */
} walk;

static bool make_walk(walk *w, const far_memory *memory, const wire_record *r, const char *dimensions, uint64_t *total) {
    *w = (walk){.memory = memory, .count = r->length / sizeof *w->of, .row = r->b, .begin = ompls_far_address(memory, r->a)};
    *total = r->b;
    if (w->count > OMPLS_DIMENSIONS || r->length % sizeof *w->of != 0) return false;
    memcpy(w->of, dimensions, r->length);
    for (uint32_t i = 0; i < w->count; i++)
        if (__builtin_mul_overflow(*total, w->of[i].count, total)) return false;
    return true;
}

static void next_row(walk *w) {
    w->done = 0;
    for (uint32_t i = w->count; i-- > 0;) {
        w->begin += w->of[i].stride;
        if (++w->at[i] < w->of[i].count) return;
        w->begin -= w->of[i].stride * w->of[i].count;
        w->at[i] = 0;
    }
}

/* The next `size` bytes of the rows, out of memory or into it. */
static int move(walk *w, char *bytes, uint64_t size, bool out, ompls_error *err) {
    const far_memory *m = w->memory;
    while (size > 0) {
        uint64_t part = w->row - w->done < size ? w->row - w->done : size;
        ompls_address at = w->begin + w->done;
        if ((out ? m->module->copy_out(m->device, bytes, at, part, err) : m->module->copy_in(m->device, at, bytes, part, err)) != 0) return 1;
        w->done += part, bytes += part, size -= part;
        if (w->done == w->row) next_row(w);
    }
    return 0;
}

/* Not while signals are taken for a kernel's. */
static int carry(far_peer *peer, bool gives, char *bytes, uint64_t size, ompls_error *err) {
    int guarded = ompls_far_guarded(0);
    int code = gives ? peer->line->put_data(peer->line, bytes, size) : peer->line->get_data(peer->line, bytes, size);
    ompls_far_guarded(guarded);
    if (code == LINE_FINE) return 0;
    const char *what = code == LINE_SILENT ? "no sign of life (OMPLS_REMOTE_TIMEOUT) comes from" : gives ? "nothing can be sent to" : "no data come from";
    return fail(err, what, peer->name, "look whether it runs and can be reached");
}

static int give(far_peer *peer, walk *w, uint64_t total, bool direct, char *room, ompls_error *err) {
    for (uint64_t at = 0; at < total; at += OMPLS_PEER_PIECE) {
        uint64_t size = total - at < OMPLS_PEER_PIECE ? total - at : OMPLS_PEER_PIECE;
        if (!direct && move(w, room, size, true, err) != 0) return 1;
        if (carry(peer, true, direct ? (char *)(uintptr_t)(w->begin + at) : room, size, err) != 0) return 1;
    }
    return 0;
}

static int take(far_peer *peer, walk *w, uint64_t total, bool direct, bool failed, char *room, ompls_error *err) {
    for (uint64_t at = 0; at < total; at += OMPLS_PEER_PIECE) {
        uint64_t size = total - at < OMPLS_PEER_PIECE ? total - at : OMPLS_PEER_PIECE;
        if (carry(peer, false, direct ? (char *)(uintptr_t)(w->begin + at) : room, size, err) != 0) return 1;
        if (!direct && !failed && move(w, room, size, false, err) != 0) return 1;
    }
    return 0;
}

/* The other one shall not wait for it. */
static void give_up(far_peer *peer, bool gives) {
    ompls_error unused;
    if (gives && !peer->told) carry(peer, true, (char *)peer->name, 0, &unused);
    peer->broken = peer->told = true;
}

int ompls_far_exchange(const far_memory *memory, const wire_record *r, const char *dimensions, bool failed, ompls_error *err) {
    walk w;
    uint64_t total;
    ompls_error unused;
    bool gives = r->what == WIRE_GIVE;
    far_peer *peer = r->c < OMPLS_MOST_PEERS ? peers[r->c] : NULL;
    if (failed) err = &unused; /* it has one */
    if (peer == NULL || !make_walk(&w, memory, r, dimensions, &total)) return damaged(err);
    if (gives && failed) give_up(peer, true);
    if (peer->broken) return fail(err, "something was lost before on the way to or from", peer->name, "look whether it runs and can be reached");
    bool direct = w.count == 0 && total > OMPLS_INLINE && !failed && ompls_far_direct(memory, r->a, total);
    char *room = malloc(direct || total < OMPLS_PEER_PIECE ? (direct ? 1 : total + 1) : OMPLS_PEER_PIECE);
    peer->broken = true; /* until it is done: a wrong address may end it */
    int code = room == NULL ? fail(err, "no memory is left for what is copied to or from", peer->name, "copy less at a time")
             : gives        ? give(peer, &w, total, direct, room, err)
                            : take(peer, &w, total, direct, failed, room, err);
    if (code != 0) give_up(peer, gives);
    else peer->broken = false;
    free(room);
    return code;
}
