/* loops.c -- worksharing loops and sections whose iterations are dealt out, as gcc calls it.

   What is left of a loop is in the master's memory, in one of a few places that its threads use in turn: a thread that
   is that far ahead of the slowest one waits.  A loop is a start and a distance, so that types and signs are gone. */
#include "chip.h"

typedef unsigned long long wide;

void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags);

/* What a thread of `schedule(guided)` takes: its part of all that is left, at least a chunk.  Divisions are calls, so that
   other loops do without. */
uint64_t loop_guided(const loop *l, uint32_t threads) {
    uint64_t part = l->left / l->step / threads * l->step;
    return part > l->stride ? part : l->stride;
}

/* The loop that this thread comes to next; the first thread says what is to be done. */
void loop_begin(const range *r) {
    core *c = self();
    team *t = team_of(c);
    loop *l = &t->loops[c->shared++ % LOOPS];
    for (;;) {
        uint32_t bell = c->bell;
        lock(&t->lock);
        if (l->busy == 0) {
            l->busy = 1, l->number = c->shared, l->arrived = 0;
            l->next = r->start, l->left = r->distance, l->step = r->step, l->share = r->share, l->down = r->down;
            l->parts = l->turn = 0, l->posted = 0, l->reduced = 0, l->memory = 0, l->end = 0;
            if (__builtin_mul_overflow(r->step, r->chunk, &l->stride)) l->stride = ~(uint64_t)0;
        }
        bool mine = l->number == c->shared;
        unlock(&t->lock);
        if (mine) break;
        chip_rest(c, bell);
    }
    c->loop = l;
}

/* The next part: where it begins, and where the next one would. */
bool loop_take(uint64_t *first, uint64_t *last) {
    core *c = self();
    team *t = team_of(c);
    loop *l = c->loop;
    lock(&t->lock);
    uint64_t part = l->share != 0 ? l->share(l, t->threads) : l->stride;
    if (part > l->left) part = l->left;
    *first = l->next, *last = l->next += l->down ? -part : part;
    l->left -= part;
    if (part != 0) c->ticket = l->parts++;
    unlock(&t->lock);
    return part != 0;
}

range loop_narrow(long start, long end, long step, long chunk) {
    const bool down = step < 0;
    const int64_t distance = down ? (int64_t)start - end : (int64_t)end - start;
    return (range){(uint64_t)(int64_t)start, distance > 0 ? (uint64_t)distance : 0, down ? -(uint64_t)(int64_t)step : (uint64_t)step,
                   chunk != 0 ? (uint64_t)chunk : 1, 0, down};
}

range loop_wide(bool up, wide start, wide end, wide step, wide chunk) {
    wide distance = up ? (end > start ? end - start : 0) : start > end ? start - end : 0;
    return (range){start, distance, up ? step : -step, chunk != 0 ? chunk : 1, 0, !up};
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
