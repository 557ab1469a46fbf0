/* loops.c -- worksharing loops and sections whose iterations are dealt out, as gcc calls it.

   What is left of a loop is in the master's memory, in one of a few places that its threads use in turn: a thread that
   is that far ahead of the slowest one waits. */
#include "chip.h"

enum { DYNAMIC, GUIDED };

void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags);

static team *team_of(core *c, team *alone) {
    if (c->team != 0) return c->team;
    alone->threads = 1;
    return alone;
}

static uint64_t iterations(int64_t start, int64_t end, int64_t step) {
    if (step > 0) return end > start ? ((uint64_t)(end - start) + (uint64_t)step - 1) / (uint64_t)step : 0;
    return start > end ? ((uint64_t)(start - end) - (uint64_t)step - 1) / -(uint64_t)step : 0;
}

/* The loop that this thread comes to next; the first thread says what is to be done. */
static void begin(core *c, uint64_t count, int64_t start, int64_t step, uint64_t chunk) {
    team *t = team_of(c, &c->own);
    loop *l = &t->loops[c->shared++ % LOOPS];
    for (;;) {
        uint32_t bell = c->bell;
        lock(&t->lock);
        if (l->busy == 0) {
            l->busy = 1, l->number = c->shared, l->arrived = 0;
            l->next = 0, l->end = count, l->start = start, l->step = (uint64_t)step, l->chunk = chunk > 0 ? chunk : 1;
        }
        bool mine = l->number == c->shared;
        unlock(&t->lock);
        if (mine) break;
        chip_rest(c, bell);
    }
    c->loop = l;
}

static void leave(core *c) {
    team *t = team_of(c, &c->own);
    loop *l = c->loop;
    lock(&t->lock);
    if (++l->arrived == t->threads) l->busy = 0;
    unlock(&t->lock);
    if (l->busy == 0)
        for (uint32_t i = 0; i < t->threads && t->members[i] != 0; i++) chip_ring(t->members[i]);
    c->loop = 0;
}

/* The next iterations, counted from 0. */
static bool take(core *c, int kind, uint64_t *first, uint64_t *count) {
    team *t = team_of(c, &c->own);
    loop *l = c->loop;
    lock(&t->lock);
    uint64_t left = l->end - l->next, part = l->chunk;
    if (kind == GUIDED && left / t->threads > part) part = left / t->threads;
    if (part > left) part = left;
    *first = l->next, *count = part;
    l->next += part;
    unlock(&t->lock);
    return part != 0;
}

static int64_t at(const loop *l, uint64_t iteration) {
    return l->start + (int64_t)(iteration * l->step);
}

/* Bounds as gcc wants them: where the part begins and where the next one would. */
#define LOOP_OF(prefix, type, name, kind)                                                                                   \
    bool prefix##name##_next(type *first, type *last) {                                                                              \
        core *c = self();                                                                                                            \
        uint64_t from, count;                                                                                                        \
        if (!take(c, kind, &from, &count)) return false;                                                                             \
        *first = (type)at(c->loop, from), *last = (type)at(c->loop, from + count);                                                   \
        return true;                                                                                                                 \
    }

#define LOOP(name, kind)                                                                                                             \
    LOOP_OF(GOMP_loop_, long, name, kind)                                                                                          \
    LOOP_OF(GOMP_loop_ull_, unsigned long long, name, kind)                                                                        \
    bool GOMP_loop_##name##_start(long start, long end, long step, long chunk, long *first, long *last) {                            \
        begin(self(), iterations(start, end, step), start, step, (uint64_t)chunk);                                                   \
        return GOMP_loop_##name##_next(first, last);                                                                                 \
    }                                                                                                                                \
    bool GOMP_loop_ull_##name##_start(bool up, unsigned long long start, unsigned long long end, unsigned long long step,            \
                                      unsigned long long chunk, unsigned long long *first, unsigned long long *last) {               \
        uint64_t count = up ? (end > start ? (end - start + step - 1) / step : 0) : (start > end ? (start - end - step - 1) / -step : 0); \
        begin(self(), count, (int64_t)start, (int64_t)step, chunk);                                                                  \
        return GOMP_loop_ull_##name##_next(first, last);                                                                             \
    }                                                                                                                                \
    void GOMP_parallel_loop_##name(void (*body)(void *), void *data, unsigned threads, long start, long end, long step, long chunk,  \
                                   unsigned flags) {                                                                                 \
        combined all = {body, data, iterations(start, end, step), start, step, (uint64_t)chunk};                                     \
        GOMP_parallel(run_combined, &all, threads, flags);                                                                           \
    }

typedef struct {
    void (*body)(void *);
    void *data;
    uint64_t count;
    int64_t start, step;
    uint64_t chunk;
} combined;

static void run_combined(void *data) {
    const combined *all = data;
    begin(self(), all->count, all->start, all->step, all->chunk);
    all->body(all->data);
}

LOOP(dynamic, DYNAMIC)
LOOP(guided, GUIDED)
LOOP(runtime, DYNAMIC)
LOOP(nonmonotonic_dynamic, DYNAMIC)
LOOP(nonmonotonic_guided, GUIDED)
LOOP(nonmonotonic_runtime, DYNAMIC)
LOOP(maybe_nonmonotonic_runtime, DYNAMIC)

void GOMP_loop_end(void) {
    core *c = self();
    leave(c);
    team_barrier(c);
}

void GOMP_loop_end_nowait(void) { leave(self()); }

unsigned GOMP_sections_start(unsigned count) {
    long first, last;
    return GOMP_loop_dynamic_start(1, (long)count + 1, 1, 1, &first, &last) ? (unsigned)first : 0;
}

unsigned GOMP_sections_next(void) {
    long first, last;
    return GOMP_loop_dynamic_next(&first, &last) ? (unsigned)first : 0;
}

typedef struct {
    void (*body)(void *);
    void *data;
    unsigned count;
} combined_sections;

static void run_sections(void *data) {
    const combined_sections *all = data;
    begin(self(), all->count, 1, 1, 1);
    all->body(all->data);
}

void GOMP_parallel_sections(void (*body)(void *), void *data, unsigned threads, unsigned count, unsigned flags) {
    combined_sections all = {body, data, count};
    GOMP_parallel(run_sections, &all, threads, flags);
}

void GOMP_sections_end(void) { GOMP_loop_end(); }
void GOMP_sections_end_nowait(void) { GOMP_loop_end_nowait(); }
