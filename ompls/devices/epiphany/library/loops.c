/* loops.c -- worksharing loops and sections whose iterations are dealt out, as gcc calls it.

   What is left of a loop is in the master's memory, in one of a few places that its threads use in turn: a thread that
   is that far ahead of the slowest one waits.  A loop is a start and a distance, so that types and signs are gone. */
#include "chip.h"

typedef unsigned long long wide;

void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags);

/* What a thread of `schedule(guided)` takes: its part of all that is left, at least a chunk.  Divisions are calls, so that
   other loops do without. */
uint64_t loop_guided(const loop *l, uint32_t threads) {
    const range *r = &l->left;
    uint64_t part = r->distance / r->step / threads * r->step;
    return part > r->stride ? part : r->stride;
}

/* The loop that this thread comes to next; the first thread says what is to be done. */
void loop_begin(const range *r) {
    core *c = self();
    team *t = team_of(c);
    loop *l = &t->loops[c->shared++ % LOOPS];
    for (;;) {
        uint32_t bell = chip_bell(c);
        lock(&t->lock);
        if (l->busy == 0) {
            *l = (loop){.busy = 1, .number = c->shared, .left = *r};
        }
        bool mine = l->number == c->shared;
        unlock(&t->lock);
        if (mine) break;
        chip_rest(c, bell);
    }
    c->loop = l;
}

/* Of what is left, `size` from `begin` on. */
void range_part(const range *r, uint64_t begin, uint64_t size, uint64_t *first, uint64_t *last) {
    if (r->down) begin = -begin, size = -size;
    *first = r->start + begin, *last = *first + size;
}

/* The next part: where it begins, and where the next one would. */
bool loop_take(uint64_t *first, uint64_t *last) {
    core *c = self();
    team *t = team_of(c);
    loop *l = c->loop;
    lock(&t->lock);
    range *r = &l->left;
    uint64_t part = r->share != 0 ? r->share(l, t->threads) : r->stride;
    if (part > r->distance) part = r->distance;
    range_part(r, 0, part, first, last);
    r->start = *last, r->distance -= part;
    if (part != 0) c->ticket = l->parts++;
    unlock(&t->lock);
    return part != 0;
}

range loop_narrow(long start, long end, long step, long chunk) {
    const bool down = step < 0;
    const unsigned long from = (unsigned long)start, to = (unsigned long)end, by = down ? -(unsigned long)step : (unsigned long)step;
    const bool any = down ? start > end : start < end;
    return (range){from, any ? down ? from - to : to - from : 0, by, (uint64_t)by * (chunk != 0 ? (unsigned long)chunk : 1), 0, down};
}

range loop_wide(bool up, wide start, wide end, wide step, wide chunk) {
    const wide distance = up ? (end > start ? end - start : 0) : start > end ? start - end : 0, by = up ? step : -step;
    wide stride;
    if (__builtin_mul_overflow(by, chunk != 0 ? chunk : 1, &stride)) stride = distance;
    return (range){start, distance, by, stride, 0, !up};
}

/* --- gcc's names -------------------------------------------------------------------------------------------------- */

bool GOMP_loop_dynamic_next(long *first, long *last) {
    uint64_t from, to;
    bool any = loop_take(&from, &to);
    *first = (long)from, *last = (long)to;
    return any;
}

bool GOMP_loop_dynamic_start(long start, long end, long step, long chunk, long *first, long *last) {
    const range r = loop_narrow(start, end, step, chunk);
    loop_begin(&r);
    return GOMP_loop_dynamic_next(first, last);
}

bool GOMP_loop_guided_start(long start, long end, long step, long chunk, long *first, long *last) {
    range r = loop_narrow(start, end, step, chunk);
    r.share = loop_guided;
    loop_begin(&r);
    return GOMP_loop_dynamic_next(first, last);
}

bool GOMP_loop_runtime_start(long start, long end, long step, long *first, long *last) {
    return GOMP_loop_dynamic_start(start, end, step, 1, first, last);
}

bool GOMP_loop_ull_dynamic_next(wide *first, wide *last) {
    uint64_t from, to;
    bool any = loop_take(&from, &to);
    *first = from, *last = to;
    return any;
}

bool GOMP_loop_ull_dynamic_start(bool up, wide start, wide end, wide step, wide chunk, wide *first, wide *last) {
    const range r = loop_wide(up, start, end, step, chunk);
    loop_begin(&r);
    return GOMP_loop_ull_dynamic_next(first, last);
}

bool GOMP_loop_ull_guided_start(bool up, wide start, wide end, wide step, wide chunk, wide *first, wide *last) {
    range r = loop_wide(up, start, end, step, chunk);
    r.share = loop_guided;
    loop_begin(&r);
    return GOMP_loop_ull_dynamic_next(first, last);
}

bool GOMP_loop_ull_runtime_start(bool up, wide start, wide end, wide step, wide *first, wide *last) {
    return GOMP_loop_ull_dynamic_start(up, start, end, step, 1, first, last);
}

void GOMP_loop_end_nowait(void) {
    core *c = self();
    team *t = team_of(c);
    loop *l = c->loop;
    lock(&t->lock);
    bool last = ++l->arrived == t->threads;
    if (last && l->end != 0) l->end(l);
    if (last) l->busy = 0;
    unlock(&t->lock);
    if (last) team_ring(t);
    c->loop = 0;
}

void GOMP_loop_end(void) {
    GOMP_loop_end_nowait();
    team_barrier(self());
}

typedef struct {
    void (*body)(void *);
    void *data;
    range loop;
} combined;

static void run_combined(void *data) {
    const combined *all = data;
    loop_begin(&all->loop);
    all->body(all->data);
}

void GOMP_parallel_loop_dynamic(void (*body)(void *), void *data, unsigned threads, long start, long end, long step, long chunk,
                                unsigned flags) {
    combined all = {body, data, loop_narrow(start, end, step, chunk)};
    GOMP_parallel(run_combined, &all, threads, flags);
}

void GOMP_parallel_loop_guided(void (*body)(void *), void *data, unsigned threads, long start, long end, long step, long chunk,
                               unsigned flags) {
    combined all = {body, data, loop_narrow(start, end, step, chunk)};
    all.loop.share = loop_guided;
    GOMP_parallel(run_combined, &all, threads, flags);
}

void GOMP_parallel_loop_runtime(void (*body)(void *), void *data, unsigned threads, long start, long end, long step, unsigned flags) {
    GOMP_parallel_loop_dynamic(body, data, threads, start, end, step, 1, flags);
}

unsigned GOMP_sections_next(void) {
    long first, last;
    return GOMP_loop_dynamic_next(&first, &last) ? (unsigned)first : 0;
}

unsigned GOMP_sections_start(unsigned count) {
    const range r = loop_narrow(1, (long)count + 1, 1, 1);
    loop_begin(&r);
    return GOMP_sections_next();
}

void GOMP_parallel_sections(void (*body)(void *), void *data, unsigned threads, unsigned count, unsigned flags) {
    GOMP_parallel_loop_dynamic(body, data, threads, 1, (long)count + 1, 1, 1, flags);
}

/* The order in which iterations are dealt out is the same for all of these. */
#define SAME(name, as) extern __typeof__(as) name __attribute__((alias(#as)));
SAME(GOMP_sections_end, GOMP_loop_end)
SAME(GOMP_sections_end_nowait, GOMP_loop_end_nowait)
SAME(GOMP_loop_guided_next, GOMP_loop_dynamic_next)
SAME(GOMP_loop_runtime_next, GOMP_loop_dynamic_next)
SAME(GOMP_loop_nonmonotonic_dynamic_next, GOMP_loop_dynamic_next)
SAME(GOMP_loop_nonmonotonic_guided_next, GOMP_loop_dynamic_next)
SAME(GOMP_loop_nonmonotonic_runtime_next, GOMP_loop_dynamic_next)
SAME(GOMP_loop_maybe_nonmonotonic_runtime_next, GOMP_loop_dynamic_next)
SAME(GOMP_loop_nonmonotonic_dynamic_start, GOMP_loop_dynamic_start)
SAME(GOMP_loop_nonmonotonic_guided_start, GOMP_loop_guided_start)
SAME(GOMP_loop_nonmonotonic_runtime_start, GOMP_loop_runtime_start)
SAME(GOMP_loop_maybe_nonmonotonic_runtime_start, GOMP_loop_runtime_start)
SAME(GOMP_loop_ull_guided_next, GOMP_loop_ull_dynamic_next)
SAME(GOMP_loop_ull_runtime_next, GOMP_loop_ull_dynamic_next)
SAME(GOMP_loop_ull_nonmonotonic_dynamic_next, GOMP_loop_ull_dynamic_next)
SAME(GOMP_loop_ull_nonmonotonic_guided_next, GOMP_loop_ull_dynamic_next)
SAME(GOMP_loop_ull_nonmonotonic_runtime_next, GOMP_loop_ull_dynamic_next)
SAME(GOMP_loop_ull_maybe_nonmonotonic_runtime_next, GOMP_loop_ull_dynamic_next)
SAME(GOMP_loop_ull_nonmonotonic_dynamic_start, GOMP_loop_ull_dynamic_start)
SAME(GOMP_loop_ull_nonmonotonic_guided_start, GOMP_loop_ull_guided_start)
SAME(GOMP_loop_ull_nonmonotonic_runtime_start, GOMP_loop_ull_runtime_start)
SAME(GOMP_loop_ull_maybe_nonmonotonic_runtime_start, GOMP_loop_ull_runtime_start)
SAME(GOMP_parallel_loop_nonmonotonic_dynamic, GOMP_parallel_loop_dynamic)
SAME(GOMP_parallel_loop_nonmonotonic_guided, GOMP_parallel_loop_guided)
SAME(GOMP_parallel_loop_nonmonotonic_runtime, GOMP_parallel_loop_runtime)
SAME(GOMP_parallel_loop_maybe_nonmonotonic_runtime, GOMP_parallel_loop_runtime)
