/* ordered.c -- loops whose iterations wait for each other: `ordered`, and `ordered(n)` with its dependences.

   The parts of an `ordered` loop have numbers in the order of its iterations, and the word `turn` says which of them may go on.  A
   thread takes its next part when its last one has had its turn.  Of an `ordered(n)` loop there is a word for each iteration of the
   outermost loop: how many iterations of the inner ones have been posted there. */
#include <stdarg.h>

#include "chip.h"

typedef unsigned long long wide;

static void wait_for_turn(core *c) {
    loop *l = c->loop;
    for (uint32_t bell; bell = c->bell, l->turn != c->ticket && !is_cancelled(c);) chip_rest(c, bell);
}

static void pass_turn(core *c) {
    wait_for_turn(c);
    chip_fence();
    __atomic_store_n(&c->loop->turn, c->ticket + 1, __ATOMIC_SEQ_CST);
    team_ring(team_of(c));
}

/* This thread's part of a loop of which nothing is dealt out: parts go round; without a chunk each thread has one, as gcc itself
   makes them. */
static bool take_static(core *c, uint64_t *first, uint64_t *last) {
    const loop *l = c->loop;
    const uint32_t threads = team_of(c)->threads;
    uint64_t begin, end;
    if (l->stride != 0) {
        if (__builtin_mul_overflow(c->ticket, l->stride, &begin) || begin >= l->left) return false;
        end = l->left - begin > l->stride ? begin + l->stride : l->left;
    } else {
        if (c->ticket >= threads || l->left == 0) return false;
        const uint64_t all = (l->left - 1) / l->step + 1, each = all / threads;
        const uint32_t more = (uint32_t)(all - each * threads);
        begin = (c->ticket * each + (c->ticket < more ? c->ticket : more)) * l->step;
        end = begin + (each + (c->ticket < more)) * l->step;
        if (end > l->left || end < begin) end = l->left;
    }
    *first = l->down ? l->next - begin : l->next + begin;
    *last = l->down ? l->next - end : l->next + end;
    return begin < end;
}

static bool start_static(range *r, uint64_t chunk, uint64_t *first, uint64_t *last) {
    core *c = self();
    r->chunk = chunk;
    loop_begin(r);
    c->ticket = c->number;
    return take_static(c, first, last);
}

static bool next_static(uint64_t *first, uint64_t *last) {
    core *c = self();
    c->ticket += team_of(c)->threads;
    return take_static(c, first, last);
}

static bool start_dealt(const range *r, uint64_t *first, uint64_t *last) {
    loop_begin(r);
    return loop_take(first, last);
}

static bool start_guided(range *r, uint64_t *first, uint64_t *last) {
    r->share = loop_guided;
    return start_dealt(r, first, last);
}

/* --- gcc's names -------------------------------------------------------------------------------------------------- */

void GOMP_ordered_start(void) {
    core *c = self();
    if (c->loop != 0) wait_for_turn(c);
}

void GOMP_ordered_end(void) {}

/* --- dependences between iterations --------------------------------------------------------------------------------- */

static void give_posted(loop *l) {
    chip_give((void *)l->posted);
}

/* The loop of which `counts` are, from 0 to the first of them. */
static range outermost(uint64_t count, const void *counts, uint32_t nested) {
    core *c = self();
    c->counts = counts, c->nested = nested;
    return (range){0, count, 1, 1, 0, false};
}

static void make_posted(uint32_t count) {
    core *c = self();
    team *t = team_of(c);
    loop *l = c->loop;
    lock(&t->lock);
    if (l->posted == 0) {
        l->posted = chip_take(count * sizeof(word) + 1);
        if (l->posted == 0) __builtin_trap();
        for (uint32_t i = 0; i < count; i++) l->posted[i] = 0;
        l->end = give_posted;
    }
    unlock(&t->lock);
}

static void post(uint32_t first, uint32_t inner) {
    core *c = self();
    chip_fence();
    __atomic_store_n(&c->loop->posted[first], inner + 1, __ATOMIC_SEQ_CST);
    team_ring(team_of(c));
}

static void wait_for_post(uint32_t first, uint32_t inner) {
    core *c = self();
    const word *posted = &c->loop->posted[first];
    for (uint32_t bell; bell = c->bell, *posted <= inner && !is_cancelled(c);) chip_rest(c, bell);
}

/* --- gcc's names for numbers of one type ---------------------------------------------------------------------------- */

#define STORE(type, call)                  \
    uint64_t from = 0, to = 0;             \
    const bool any = call;                 \
    *first = (type)from, *last = (type)to; \
    return any

/* How a loop `r` with chunks of `chunk` starts, and what comes before its next part. */
#define ORDERED(name, starts, next)                                                                               \
    bool GOMP_loop_ordered_##name##_start(long begin, long end, long step, long chunk, long *first, long *last) { \
        range r = loop_narrow(begin, end, step, chunk);                                                           \
        STORE(long, starts);                                                                                      \
    }                                                                                                             \
    bool GOMP_loop_ordered_##name##_next(long *first, long *last) {                                               \
        pass_turn(self());                                                                                        \
        STORE(long, next(&from, &to));                                                                            \
    }                                                                                                             \
    bool GOMP_loop_ull_ordered_##name##_start(bool up, wide begin, wide end, wide step, wide chunk, wide *first,  \
                                              wide *last) {                                                       \
        range r = loop_wide(up, begin, end, step, chunk);                                                         \
        STORE(wide, starts);                                                                                      \
    }                                                                                                             \
    bool GOMP_loop_ull_ordered_##name##_next(wide *first, wide *last) {                                           \
        pass_turn(self());                                                                                        \
        STORE(wide, next(&from, &to));                                                                            \
    }

ORDERED(static, start_static(&r, (uint64_t)chunk, &from, &to), next_static)
ORDERED(dynamic, start_dealt(&r, &from, &to), loop_take)
ORDERED(guided, start_guided(&r, &from, &to), loop_take)

bool GOMP_loop_ordered_runtime_start(long begin, long end, long step, long *first, long *last) {
    return GOMP_loop_ordered_dynamic_start(begin, end, step, 1, first, last);
}

bool GOMP_loop_ull_ordered_runtime_start(bool up, wide begin, wide end, wide step, wide *first, wide *last) {
    return GOMP_loop_ull_ordered_dynamic_start(up, begin, end, step, 1, first, last);
}

#define DEPENDENT(type, prefix, infix)                                                                                     \
    static bool prefix##_static(range r, type chunk, uint32_t count, type *first, type *last) {                            \
        STORE(type, start_static(&r, (uint64_t)chunk, &from, &to); make_posted(count));                                     \
    }                                                                                                                      \
    static bool prefix##_dealt(range r, type chunk, uint32_t count, type *first, type *last) {                             \
        if (chunk != 0) r.chunk = (uint64_t)chunk;                                                                         \
        STORE(type, start_dealt(&r, &from, &to); make_posted(count));                                                       \
    }                                                                                                                      \
    bool GOMP_loop_##infix##doacross_static_start(unsigned nested, type *counts, type chunk, type *first, type *last) {    \
        return prefix##_static(outermost((uint64_t)*counts, counts, nested), chunk, (uint32_t)*counts, first, last);       \
    }                                                                                                                      \
    bool GOMP_loop_##infix##doacross_dynamic_start(unsigned nested, type *counts, type chunk, type *first, type *last) {   \
        return prefix##_dealt(outermost((uint64_t)*counts, counts, nested), chunk, (uint32_t)*counts, first, last);        \
    }                                                                                                                      \
    bool GOMP_loop_##infix##doacross_guided_start(unsigned nested, type *counts, type chunk, type *first, type *last) {    \
        range r = outermost((uint64_t)*counts, counts, nested);                                                            \
        r.share = loop_guided;                                                                                             \
        return prefix##_dealt(r, chunk, (uint32_t)*counts, first, last);                                                   \
    }                                                                                                                      \
    bool GOMP_loop_##infix##doacross_runtime_start(unsigned nested, type *counts, type *first, type *last) {               \
        return GOMP_loop_##infix##doacross_dynamic_start(nested, counts, 1, first, last);                                  \
    }                                                                                                                      \
    bool GOMP_loop_##infix##static_next(type *first, type *last) { STORE(type, next_static(&from, &to)); }                 \
    void GOMP_doacross_##infix##post(type *at) {                                                                           \
        const core *c = self();                                                                                            \
        uint32_t inner = 0;                                                                                                \
        for (uint32_t i = 1; i < c->nested; i++) inner = inner * (uint32_t)((const type *)c->counts)[i] + (uint32_t)at[i]; \
        post((uint32_t)at[0], inner);                                                                                      \
    }                                                                                                                      \
    void GOMP_doacross_##infix##wait(type first, ...) {                                                                    \
        const core *c = self();                                                                                            \
        uint32_t inner = 0;                                                                                                \
        va_list more;                                                                                                      \
        va_start(more, first);                                                                                             \
        for (uint32_t i = 1; i < c->nested; i++)                                                                           \
            inner = inner * (uint32_t)((const type *)c->counts)[i] + (uint32_t)va_arg(more, type);                         \
        va_end(more);                                                                                                      \
        wait_for_post((uint32_t)first, inner);                                                                             \
    }

DEPENDENT(long, narrow, )
DEPENDENT(wide, full, ull_)

#define SAME(name, as) extern __typeof__(as) name __attribute__((alias(#as)));
SAME(GOMP_loop_ordered_runtime_next, GOMP_loop_ordered_dynamic_next)
SAME(GOMP_loop_ull_ordered_runtime_next, GOMP_loop_ull_ordered_dynamic_next)
