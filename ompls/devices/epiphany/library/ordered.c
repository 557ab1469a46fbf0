/* ordered.c -- loops whose iterations wait for each other: `ordered`, and `ordered(n)` with its dependences.

   The parts of an `ordered` loop have numbers in the order of its iterations, and the word `turn` says which of them may go on.  A
   thread takes its next part when its last one has had its turn.  Of an `ordered(n)` loop there is a word for each iteration of the
   outermost loop: how many iterations of the inner ones have been posted there. */
#include <stdarg.h>

#include "chip.h"

typedef unsigned long long wide;

/* Nobody waits in a team of one, so only the word of larger ones is looked at. */
static void wait_for_turn(core *c) {
    loop *l = c->loop;
    for (uint32_t bell; bell = chip_bell(c), l->turn != c->ticket && c->cancelled == 0;) chip_rest(c, bell);
}

static void pass_turn(core *c) {
    wait_for_turn(c);
    chip_fence();
    __atomic_store_n(&c->loop->turn, c->ticket + 1, __ATOMIC_SEQ_CST);
    team_ring(team_of(c));
}

/* The part of a static loop that is so many further on: as long as `each`, of the first `more` parts an iteration longer.  A
   multiplication of 64 bits is a call. */
static bool go_on(core *c, uint32_t parts, uint64_t each, uint32_t more, uint64_t *first, uint64_t *last) {
    const range *r = &c->loop->left;
    for (;; parts--) {
        const uint64_t left = r->distance - c->place;
        uint64_t size = each < left ? each : left;
        if (c->ticket < more) size += r->step < left - size ? r->step : left - size;
        if (parts == 0) {
            range_part(r, c->place, size, first, last);
            return size != 0;
        }
        c->place += size, c->ticket++;
    }
}

/* Without a chunk each thread has one part, as gcc itself makes them: all but the last iteration go round, and then that one.  A
   division of 64 bits is a call, too. */
static bool take_share(core *c, uint64_t *first, uint64_t *last) {
    const range *r = &c->loop->left;
    uint64_t round = r->step, one = r->step, each = 0, rest = r->distance - 1;
    uint32_t more = 1;
    if (r->distance == 0) return false;
    for (uint32_t i = team_of(c)->threads; i > 1; i--)
        round = round <= rest && one <= rest - round ? round + one : NO_CHUNK;
    while (round <= rest && round <= rest - round) round *= 2, one *= 2;
    for (; one >= r->step; round /= 2, one /= 2)
        if (round <= rest) rest -= round, each += one;
    for (; rest >= r->step; more++) rest -= r->step;
    return go_on(c, c->number, each, more, first, last);
}

static bool start_static(range *r, bool chunks, uint64_t *first, uint64_t *last) {
    core *c = self();
    if (!chunks) r->stride = NO_CHUNK;
    loop_begin(r);
    c->ticket = 0, c->place = 0;
    return chunks ? go_on(c, c->number, r->stride, 0, first, last) : take_share(c, first, last);
}

static bool next_static(uint64_t *first, uint64_t *last) {
    core *c = self();
    return go_on(c, team_of(c)->threads, c->loop->left.stride, 0, first, last);
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
    unlock_far(&t->lock);
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
    for (uint32_t bell; bell = chip_bell(c), *posted <= inner && c->cancelled == 0;) chip_rest(c, bell);
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

ORDERED(static, start_static(&r, chunk != 0, &from, &to), next_static)
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
        if (chunk != 0) r.stride = (uint64_t)chunk;                                                                        \
        STORE(type, start_static(&r, chunk != 0, &from, &to); make_posted(count));                                          \
    }                                                                                                                      \
    static bool prefix##_dealt(range r, type chunk, uint32_t count, type *first, type *last) {                             \
        if (chunk != 0) r.stride = (uint64_t)chunk;                                                                        \
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
