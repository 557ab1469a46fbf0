/* talk.c -- see talk.h.  What comes from elsewhere may be anything: lengths are those that were asked for, texts are cleaned. */
#define _GNU_SOURCE
#include "talk.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core.h"

bool near_lock_soon(near_device *n) {
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 3;
    return pthread_mutex_timedlock(&n->lock, &limit) == 0;
}

void near_clean(char *text, size_t size) {
    text[size - 1] = '\0';
    for (unsigned char *at = (unsigned char *)text; *at != '\0'; at++) {
        if (*at == 0xc2 && (at[1] & 0xe0) == 0x80) at[0] = at[1] = '?'; /* C1 in UTF-8 */
        else if (iscntrl(*at)) *at = '?';
    }
}

void near_clean_lines(char *text, size_t size) {
    text[size - 1] = '\0';
    for (char *at = text, *end; *at != '\0'; at = end) {
        size_t length = strcspn(at, "\n");
        bool more = at[length] != '\0';
        near_clean(at, length + 1);
        end = at + length;
        if (more) *end++ = '\n';
    }
}

int near_fail(near_device *n, ompls_error *err, int fatal, const char *what, const char *hint) {
    *err = (ompls_error){.fatal = fatal};
    snprintf(err->reason, sizeof err->reason, "%s: %s", n->machine, what);
    snprintf(err->hint, sizeof err->hint, "%s", hint);
    return 1;
}

int near_lose(near_device *n, ompls_error *err, const char *why) {
    near_fail(n, err, OMPLS_LOST_NOW, why, n->hint);
    n->lost = *err;
    n->lost.fatal = OMPLS_LOST_BEFORE;
    if (n->line != NULL) n->near->end(n->index, 1);
    n->line = NULL;
    return 1;
}

int near_carried(near_device *n, int code, ompls_error *err) {
    char why[96];
    if (OMPLS_LIKELY(code == LINE_FINE)) return 0;
    snprintf(why, sizeof why, "it gives no sign of life for %g s (OMPLS_REMOTE_TIMEOUT)", n->line->patience);
    return near_lose(n, err, code == LINE_SILENT ? why : "it has ended, or the line to it is broken");
}

int near_flush(near_device *n, ompls_error *err) {
    uint64_t size = n->used;
    n->used = 0;
    if (size == 0) return 0;
    n->said++;
    memcpy(n->batch, &n->said, sizeof n->said);
    n->there.messages++, n->there.bytes += size;
    return near_carried(n, n->line->put(n->line, n->batch, size), err);
}

int near_put_data(near_device *n, const void *bytes, uint64_t size, ompls_error *err) {
    n->there.messages++, n->there.bytes += size;
    return near_carried(n, n->line->put_data(n->line, bytes, size), err);
}

void near_tell_count(const near_device *n) {
    const char *path = getenv("OMPLS_REMOTE_COUNT");
    char line[256];
    if (path == NULL || path[0] == '\0') return;
    int length = snprintf(line, sizeof line, "%s:%d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", n->near->name, n->index, n->there.messages,
                          n->there.bytes, n->back.messages, n->back.bytes);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0 || write(file, line, (size_t)length) != length) ompls_warn("OMPLS_REMOTE_COUNT: %s: %s", path, strerror(errno));
    if (file >= 0) close(file);
}

char *near_say(near_device *n, ompls_error *err, uint32_t what, uint64_t a, uint64_t b, uint64_t c, uint64_t length) {
    uint64_t size = sizeof(wire_record) + (length + 7) / 8 * 8;
    if (OMPLS_UNLIKELY(n->line == NULL)) {
        *err = n->lost;
        return NULL;
    }
    if (n->used + size + sizeof(wire_record) > OMPLS_FRAME && near_flush(n, err) != 0) return NULL; /* with room for a sync */
    if (n->used == 0) n->used = sizeof n->said;
    wire_record record = {.what = what, .length = (uint32_t)length, .a = a, .b = b, .c = c};
    char *at = n->batch + n->used;
    memcpy(at, &record, sizeof record);
    n->used += size;
    return at + sizeof record;
}

int near_damaged(near_device *n, ompls_error *err) {
    return near_lose(n, err, "it does not speak our protocol");
}

static int take_data(near_device *n, const wire_record *r, const char *bytes, ompls_error *err) {
    if (n->taken >= n->nreads) return near_damaged(n, err);
    wanted_data *wanted = &n->reads[n->taken];
    if (wanted->sync != n->answered + 1 || r->b != wanted->size || (r->length != 0 && r->length != r->b)) return near_damaged(n, err);
    n->taken++;
    if (r->length != 0) memcpy(wanted->into, bytes, r->length);
    for (uint64_t at = 0; r->length == 0 && at < wanted->size; at += OMPLS_PIECE) {
        uint64_t size = wanted->size - at < OMPLS_PIECE ? wanted->size - at : OMPLS_PIECE;
        if (near_carried(n, n->line->get_data(n->line, (char *)wanted->into + at, size), err) != 0) return 1;
        n->back.messages++, n->back.bytes += size;
    }
    return 0;
}

static void print(const wire_record *r, const char *bytes) {
    fflush(r->a == 2 ? stderr : stdout); /* what the program has printed before; another thread may hold a third one, and wait */
    for (uint64_t at = 0; at < r->length;) {
        ssize_t done = write(r->a == 2 ? 2 : 1, bytes + at, r->length - at);
        if (done <= 0) return;
        at += (uint64_t)done;
    }
}

static int take_error(near_device *n, const wire_record *r, const char *bytes, ompls_error *failure) {
    ompls_error told;
    if (r->length != sizeof told) return 1;
    memcpy(&told, bytes, sizeof told);
    near_clean(told.reason, sizeof told.reason);
    near_clean(told.hint, sizeof told.hint);
    near_clean(told.fault_file, sizeof told.fault_file);
    told.detail = NULL; /* of that machine's memory */
    *failure = told;
    snprintf(failure->reason, sizeof failure->reason, "%.100s: %.400s", n->machine, told.reason);
    return 0;
}

/* Nothing more comes of what this sync asked for. */
static bool has_all(const near_device *n, uint64_t sync) {
    return n->taken == n->nreads || n->reads[n->taken].sync > sync;
}

/* One record of an answer; -1: it was the last one. */
static int take(near_device *n, const wire_record *r, const char *bytes, wire_record *last, char *last_bytes, ompls_error *failure, bool *failed,
                ompls_error *err) {
    switch (r->what) {
    case WIRE_DATA: return *failed ? near_damaged(n, err) : take_data(n, r, bytes, err);
    case WIRE_PRINTED: print(r, bytes); return 0;
    case WIRE_ERROR: *failed = true; return take_error(n, r, bytes, failure) == 0 ? 0 : near_damaged(n, err);
    case WIRE_VALUE: *last = *r; return 0;
    case WIRE_OPENED:
        if (r->length != sizeof(ompls_properties)) return near_damaged(n, err);
        *last = *r;
        memcpy(last_bytes, bytes, r->length);
        return 0;
    case WIRE_NAMED:
        if (r->length == 0 || r->length > sizeof n->port) return near_damaged(n, err);
        memcpy(n->port, bytes, r->length);
        n->port[r->length - 1] = '\0';
        return 0;
    case WIRE_DONE: return r->a == n->answered + 1 && (*failed || has_all(n, r->a)) ? -1 : near_damaged(n, err);
    default: return near_damaged(n, err);
    }
}

/* It is told to who hears that answer. */
static int keep_failure(near_device *n, const ompls_error *failure, ompls_error *err) {
    near_failure *kept = malloc(sizeof *kept);
    if (kept == NULL) return near_lose(n, err, "no memory is left for what it has answered");
    *kept = (near_failure){n->failures, n->answered, *failure};
    n->failures = kept;
    return 0;
}

static int told_failure(near_device *n, uint64_t sync, ompls_error *err) {
    near_failure **at = &n->failures;
    while (*at != NULL && (*at)->sync != sync) at = &(*at)->next;
    near_failure *found = *at;
    if (OMPLS_LIKELY(found == NULL)) return 0;
    *at = found->next;
    *err = found->err;
    free(found);
    return 1;
}

/* The sync that comes next is answered. */
static int is_answered(near_device *n, const ompls_error *failure, bool failed, ompls_error *err) {
    n->answered++;
    uint32_t first = n->taken;
    while (first > 0 && n->reads[first - 1].sync == n->answered) first--;
    for (uint32_t i = first; i < n->taken && !failed; i++)
        if (n->reads[i].size >= OMPLS_LEAST_HELD) ompls_near_has(n, n->reads[i].from, n->reads[i].into, n->reads[i].size);
    while (!has_all(n, n->answered)) n->taken++; /* what has failed */
    if (n->taken == n->nreads) n->taken = n->nreads = 0;
    if (n->answered > n->passed) n->passing = 0;
    if (n->asked && n->answered == n->syncs) n->busy = false;
    return failed ? keep_failure(n, failure, err) : 0;
}

static int hear_next(near_device *n, wire_record *last, ompls_properties *opened, ompls_error *err) {
    ompls_error failure;
    bool failed = false;
    for (int state = 0; state == 0;) {
        uint64_t length, at = sizeof(wire_number);
        wire_number number;
        if (near_carried(n, n->line->get(n->line, n->answer, &length), err) != 0) return 1;
        if (length < sizeof number) return near_damaged(n, err);
        memcpy(&number, n->answer, sizeof number);
        if (number == 0) continue; /* a beat */
        n->back.messages++, n->back.bytes += length;
        if (number != ++n->heard) return near_damaged(n, err);
        while (state == 0 && at < length) {
            wire_record r;
            if (length - at < sizeof r) return near_damaged(n, err);
            memcpy(&r, n->answer + at, sizeof r);
            if (r.length > length - at - sizeof r) return near_damaged(n, err);
            state = take(n, &r, n->answer + at + sizeof r, last, (char *)opened, &failure, &failed, err);
            at += sizeof r + ((uint64_t)r.length + 7) / 8 * 8;
        }
        if (state > 0) return 1;
    }
    return is_answered(n, &failure, failed, err);
}

int near_ask(near_device *n, ompls_error *err) {
    if (near_say(n, err, WIRE_SYNC, n->syncs + 1, 0, 0, 0) == NULL) return 1;
    n->syncs++;
    n->asked = true;
    return near_flush(n, err);
}

int near_hear(near_device *n, uint64_t sync, wire_record *last, ompls_properties *opened, ompls_error *err) {
    while (n->answered < sync) {
        if (n->line == NULL) *err = n->lost;
        if (n->line == NULL || hear_next(n, last, opened, err) != 0) return 1;
    }
    return told_failure(n, sync, err);
}

int near_wait(near_device *n, wire_record *last, ompls_properties *opened, ompls_error *err) {
    return near_ask(n, err) != 0 || near_hear(n, n->syncs, last, opened, err) != 0;
}

int near_answer(near_device *n, uint64_t *value, ompls_error *err) {
    wire_record last = {0};
    ompls_properties unused;
    int failed = near_wait(n, &last, &unused, err);
    *value = last.a;
    return failed;
}
