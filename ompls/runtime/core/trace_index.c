/* trace_index.c -- what a long trace says in all, as one line before its `end`: a reader need not read the others.

   There are sums of the events that are alike, and for equal pieces of the run's time what each device did and where the
   lines are.  The pieces become longer as the run does: there are at most PIECES.  An event is added while its line is
   published, which threads do one after another (trace.c): so nothing is locked here. */
#define _GNU_SOURCE
#include "trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A reader takes no index that has more (ompls/traces/index.py). */
enum { PIECES = 1024, MOST_SUMS = 4096, SLOTS = 2 * MOST_SUMS, MOST_LANES = 64, MOST_NOTABLE = 64 };
enum { SHORTEST = 1000 /* of a piece, ns */ };

/* Events that are alike but for their times.  The strings are ours: a library that is unloaded takes its own along. */
typedef struct {
    uint64_t hash;
    char *kind, *device, *file, *var, *direction; /* "": none */
    uint32_t line;
    uint64_t bytes; /* of each */
    uint64_t count, duration;
    uint32_t grid[3], block[3]; /* of the last launch; 0: there was none */
} sum;

/* What one device did in one way; what the host does for all of them is one, too. */
typedef struct {
    char *device;
    const char *way;
    struct {
        uint64_t count, busy, bytes;
    } pieces[PIECES];
} lane;

typedef struct {
    uint64_t begin, end; /* in bytes of the file; end 0: there are none */
} stretch;

static struct {
    uint64_t events, base /* the first event's time */, width /* of a piece, ns; 0: there was no event */;
    stretch lines[PIECES]; /* where the lines of events that began in the piece are */
    lane *lanes[MOST_LANES];
    int nlanes;
    sum *sums[SLOTS];
    uint64_t nsums, left_out /* events that are in no sum */;
    uint64_t notable[MOST_NOTABLE]; /* where lines that are read in any case are */
    int nnotable;
} all;

/* --- pieces of time ---------------------------------------------------------------------------------------------------- */

/* Pieces become twice as long. */
static void join_pieces(void) {
    for (size_t i = 0; i < PIECES / 2; i++) {
        stretch one = all.lines[2 * i], other = all.lines[2 * i + 1];
        bool neither = one.end == 0, both = !neither && other.end != 0;
        all.lines[i].begin = neither || (both && other.begin < one.begin) ? other.begin : one.begin;
        all.lines[i].end = other.end > one.end ? other.end : one.end;
    }
    memset(all.lines + PIECES / 2, 0, sizeof *all.lines * (PIECES / 2));
    for (int n = 0; n < all.nlanes; n++) {
        lane *of = all.lanes[n];
        for (size_t i = 0; i < PIECES / 2; i++) {
            of->pieces[i].count = of->pieces[2 * i].count + of->pieces[2 * i + 1].count;
            of->pieces[i].busy = of->pieces[2 * i].busy + of->pieces[2 * i + 1].busy;
            of->pieces[i].bytes = of->pieces[2 * i].bytes + of->pieces[2 * i + 1].bytes;
        }
        memset(of->pieces + PIECES / 2, 0, sizeof *of->pieces * (PIECES / 2));
    }
    all.width *= 2;
}

static lane *lane_of(const ompls_event *event) {
    const char *way = event->grid != NULL ? "kernels" : event->direction != NULL ? event->direction : "host";
    const char *device = *way != 'h' && event->at.device != NULL ? event->at.device->name : "";
    for (int i = 0; i < all.nlanes; i++)
        if (strcmp(all.lanes[i]->way, way) == 0 && strcmp(all.lanes[i]->device, device) == 0) return all.lanes[i];
    lane *made = all.nlanes < MOST_LANES ? calloc(1, sizeof *made) : NULL;
    if (made == NULL) return NULL;
    made->way = way;
    made->device = strdup(device);
    if (made->device == NULL) {
        free(made);
        return NULL;
    }
    return all.lanes[all.nlanes++] = made;
}

static void add_to_pieces(const ompls_event *event, uint64_t t, uint64_t duration, uint64_t offset, uint64_t size) {
    uint64_t from = t > all.base ? t - all.base : 0, to = from + duration;
    while (to / all.width >= PIECES) join_pieces();
    size_t piece = from / all.width;
    if (all.lines[piece].end == 0 || offset < all.lines[piece].begin) all.lines[piece].begin = offset;
    if (offset + size > all.lines[piece].end) all.lines[piece].end = offset + size;
    lane *of = lane_of(event);
    if (of == NULL) return;
    of->pieces[piece].count++;
    of->pieces[piece].bytes += event->bytes;
    for (; from < to; piece++) {
        uint64_t end = (piece + 1) * all.width < to ? (piece + 1) * all.width : to;
        of->pieces[piece].busy += end - from;
        from = end;
    }
}

/* --- sums -------------------------------------------------------------------------------------------------------------- */

static uint64_t hash_of(uint64_t hash, const char *text) {
    for (; *text != '\0'; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return (hash ^ 0xff) * 0x100000001b3u;
}

static const char *or_none(const char *text) {
    return text != NULL ? text : "";
}

static bool is_of(const sum *s, const sum *wanted) {
    return s->hash == wanted->hash && s->line == wanted->line && s->bytes == wanted->bytes && strcmp(s->kind, wanted->kind) == 0 &&
           strcmp(s->device, wanted->device) == 0 && strcmp(s->file, wanted->file) == 0 && strcmp(s->var, wanted->var) == 0 &&
           strcmp(s->direction, wanted->direction) == 0;
}

/* A copy of the key with strings of its own; NULL: there is no room. */
static sum *make_sum(const sum *key) {
    sum *made = all.nsums < MOST_SUMS ? malloc(sizeof *made) : NULL;
    if (made == NULL) return NULL;
    *made = *key;
    char **texts[] = {&made->kind, &made->device, &made->file, &made->var, &made->direction};
    bool whole = true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        *texts[i] = strdup(*texts[i]);
        whole = whole && *texts[i] != NULL;
    }
    if (whole) {
        all.nsums++;
        return made;
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(*texts[i]);
    free(made);
    return NULL;
}

static sum *sum_of(const ompls_event *event) {
    const ompls_region *region = event->at.region;
    sum key = {.kind = (char *)(uintptr_t)event->kind,
               .device = (char *)(uintptr_t)(event->at.device != NULL ? event->at.device->name : ""),
               .file = (char *)(uintptr_t)(region != NULL ? region->file : ""),
               .var = (char *)(uintptr_t)or_none(event->var),
               .direction = (char *)(uintptr_t)or_none(event->direction),
               .line = region != NULL ? region->line : 0,
               .bytes = event->bytes};
    key.hash = hash_of(hash_of(hash_of(hash_of(key.line ^ key.bytes << 20, key.kind), key.device), key.var), key.direction);
    size_t slot = (key.hash ^ key.hash >> 32) % SLOTS; /* half of them are free */
    while (all.sums[slot] != NULL && !is_of(all.sums[slot], &key)) slot = (slot + 1) % SLOTS;
    if (all.sums[slot] == NULL) all.sums[slot] = make_sum(&key);
    return all.sums[slot];
}

void ompls_index_event(const ompls_event *event, uint64_t t, uint64_t duration, uint64_t offset, uint64_t size) {
    if (all.width == 0) all.base = t, all.width = SHORTEST;
    all.events++;
    add_to_pieces(event, t, duration, offset, size);
    if ((event->locks != NULL || strcmp(event->kind, "error") == 0) && all.nnotable < MOST_NOTABLE) all.notable[all.nnotable++] = offset;
    sum *of = sum_of(event);
    if (of == NULL) {
        all.left_out++;
        return;
    }
    of->count++;
    of->duration += duration;
    if (event->grid != NULL) memcpy(of->grid, event->grid, sizeof of->grid);
    if (event->block != NULL) memcpy(of->block, event->block, sizeof of->block);
}

/* --- the line ---------------------------------------------------------------------------------------------------------- */

static ompls_line out;
static void (*goes_to)(const char *bytes, size_t size);

static void flush(size_t least) {
    if (out.used < least) return;
    goes_to(out.text, out.used);
    out.used = 0;
}

static void write_pieces(const lane *of) {
    const char *comma = "";
    ompls_line_add(&out, "{\"way\": \"%s\", \"device\": ", of->way);
    ompls_line_string(&out, of->device);
    ompls_line_add(&out, ", \"pieces\": [");
    for (size_t i = 0; i < PIECES; i++) {
        if ((of->pieces[i].count | of->pieces[i].busy) == 0) continue;
        ompls_line_add(&out, "%s[%zu, %" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", comma, i, of->pieces[i].count, of->pieces[i].busy, of->pieces[i].bytes);
        comma = ", ";
        flush(OMPLS_LINE / 2);
    }
    ompls_line_add(&out, "]}");
}

static void write_string(const char *key, const char *text) {
    if (*text == '\0') return;
    ompls_line_add(&out, ", \"%s\": ", key);
    ompls_line_string(&out, text);
    flush(OMPLS_LINE / 4);
}

static void write_sum(const sum *s) {
    ompls_line_add(&out, "{\"kind\": ");
    ompls_line_string(&out, s->kind);
    write_string("device", s->device);
    if (*s->file != '\0') {
        char place[OMPLS_LINE_TEXT];
        snprintf(place, sizeof place, "%s:%u", s->file, s->line);
        write_string("region", place);
    }
    write_string("var", s->var);
    write_string("direction", s->direction);
    if (s->grid[0] != 0) ompls_line_add(&out, ", \"grid\": [%u, %u, %u]", s->grid[0], s->grid[1], s->grid[2]);
    if (s->block[0] != 0) ompls_line_add(&out, ", \"block\": [%u, %u, %u]", s->block[0], s->block[1], s->block[2]);
    ompls_line_add(&out, ", \"bytes\": %" PRIu64 ", \"count\": %" PRIu64 ", \"duration\": %" PRIu64 "}", s->bytes, s->count, s->duration);
    flush(OMPLS_LINE / 2);
}

void ompls_index_write(void (*put)(const char *bytes, size_t size)) {
    const char *comma = "";
    goes_to = put;
    ompls_line_add(&out, "{\"t\": %" PRIu64 ", \"thread\": %d, \"kind\": \"index\", \"events\": %" PRIu64 ", \"left_out\": %" PRIu64, ompls_now(),
                   (int)syscall(SYS_gettid), all.events, all.left_out);
    ompls_line_add(&out, ", \"base\": %" PRIu64 ", \"width\": %" PRIu64 ", \"notable\": [", all.base, all.width);
    for (int i = 0; i < all.nnotable; i++) ompls_line_add(&out, "%s%" PRIu64, i > 0 ? ", " : "", all.notable[i]);
    ompls_line_add(&out, "], \"lines\": [");
    for (size_t i = 0; i < PIECES; i++) {
        if (all.lines[i].end == 0) continue;
        ompls_line_add(&out, "%s[%zu, %" PRIu64 ", %" PRIu64 "]", comma, i, all.lines[i].begin, all.lines[i].end);
        comma = ", ";
        flush(OMPLS_LINE / 2);
    }
    ompls_line_add(&out, "], \"lanes\": [");
    for (int i = 0; i < all.nlanes; i++) {
        if (i > 0) ompls_line_add(&out, ", ");
        write_pieces(all.lanes[i]);
    }
    ompls_line_add(&out, "], \"sums\": [");
    comma = "";
    for (size_t i = 0; i < SLOTS; i++) {
        if (all.sums[i] == NULL) continue;
        ompls_line_add(&out, "%s", comma);
        write_sum(all.sums[i]);
        comma = ", ";
    }
    ompls_line_add(&out, "]}\n");
    flush(1);
}
