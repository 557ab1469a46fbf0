/* shared.c -- worksharing constructs whose threads share more than iterations: what tasks reduce, and memory for partial results (`scan`).

   gcc hands each thread's list of what is reduced to the start of the construct, and a place that holds how much memory it needs: the
   thread that comes first makes both. */
#include "chip.h"

typedef unsigned long long wide;

enum { STATIC = 1, GUIDED = 3, MONOTONIC = 1u << 31 };

void GOMP_loop_end_nowait(void);
unsigned GOMP_sections_start(unsigned count);
void GOMP_taskgroup_reduction_unregister(uint32_t *list);

static void give_memory(loop *l) {
    chip_give(l->memory);
}

static void *take_zeros(uint32_t size) {
    char *memory = chip_take(size);
    if (memory == 0) __builtin_trap();
    return __builtin_memset(memory, 0, size);
}

/* To the construct that this thread has begun. */
static void attach(uint32_t *list, void **memory) {
    core *c = self();
    team *t = team_of(c);
    loop *l = c->loop;
    lock(&t->lock);
    if (list != 0 && l->reduced != 0) {
        reductions_share(list, l->reduced);
    } else if (list != 0) {
        reductions_register(list, t->threads);
        l->reduced = list;
    }
    if (memory != 0 && l->memory == 0) {
        l->memory = take_zeros((uint32_t)*memory);
        l->end = give_memory;
    }
    if (memory != 0) *memory = l->memory;
    unlock_far(&t->lock);
}

static void begin_group(const uint32_t *list) {
    if (list != 0) GOMP_taskgroup_start();
}

/* A construct by its schedule: what gcc calls where it knows no more than that. */
#define BY_SCHEDULE(name, schedule, arguments)                                                  \
    (((uint32_t)(schedule) & ~MONOTONIC) == STATIC   ? GOMP_loop_##name##_static_start arguments \
     : ((uint32_t)(schedule) & ~MONOTONIC) == GUIDED ? GOMP_loop_##name##_guided_start arguments \
                                                     : GOMP_loop_##name##_dynamic_start arguments)

#define DECLARED(name, type, ...)                                                      \
    bool GOMP_loop_##name##_static_start(__VA_ARGS__, type chunk, type *first, type *last);  \
    bool GOMP_loop_##name##_dynamic_start(__VA_ARGS__, type chunk, type *first, type *last); \
    bool GOMP_loop_##name##_guided_start(__VA_ARGS__, type chunk, type *first, type *last);

DECLARED(ordered, long, long start, long end, long step)
DECLARED(ull_ordered, wide, bool up, wide start, wide end, wide step)
DECLARED(doacross, long, unsigned nested, long *counts)
DECLARED(ull_doacross, wide, unsigned nested, wide *counts)

static bool start(range r, long schedule, uint64_t *first, uint64_t *last, uint32_t *list, void **memory) {
    begin_group(list);
    if (((uint32_t)schedule & ~MONOTONIC) == GUIDED) r.share = loop_guided;
    loop_begin(&r);
    attach(list, memory);
    return first == 0 || loop_take(first, last);
}

/* --- gcc's names -------------------------------------------------------------------------------------------------- */

/* gcc shares a static loop out itself: it asks for no iterations. */
bool GOMP_loop_start(long begin, long end, long step, long schedule, long chunk, long *first, long *last, uint32_t *list, void **memory) {
    uint64_t from = 0, to = 0;
    const bool any = start(loop_narrow(begin, end, step, chunk), schedule, first != 0 ? &from : 0, &to, list, memory);
    if (first != 0) *first = (long)from, *last = (long)to;
    return any;
}

bool GOMP_loop_ull_start(bool up, wide begin, wide end, wide step, long schedule, wide chunk, wide *first, wide *last, uint32_t *list,
                         void **memory) {
    uint64_t from = 0, to = 0;
    const bool any = start(loop_wide(up, begin, end, step, chunk), schedule, first != 0 ? &from : 0, &to, list, memory);
    if (first != 0) *first = from, *last = to;
    return any;
}

bool GOMP_loop_ordered_start(long begin, long end, long step, long schedule, long chunk, long *first, long *last, uint32_t *list, void **memory) {
    begin_group(list);
    const bool any = BY_SCHEDULE(ordered, schedule, (begin, end, step, chunk, first, last));
    attach(list, memory);
    return any;
}

bool GOMP_loop_ull_ordered_start(bool up, wide begin, wide end, wide step, long schedule, wide chunk, wide *first, wide *last, uint32_t *list,
                                 void **memory) {
    begin_group(list);
    const bool any = BY_SCHEDULE(ull_ordered, schedule, (up, begin, end, step, chunk, first, last));
    attach(list, memory);
    return any;
}

bool GOMP_loop_doacross_start(unsigned nested, long *counts, long schedule, long chunk, long *first, long *last, uint32_t *list, void **memory) {
    begin_group(list);
    const bool any = BY_SCHEDULE(doacross, schedule, (nested, counts, chunk, first, last));
    attach(list, memory);
    return any;
}

bool GOMP_loop_ull_doacross_start(unsigned nested, wide *counts, long schedule, wide chunk, wide *first, wide *last, uint32_t *list,
                                  void **memory) {
    begin_group(list);
    const bool any = BY_SCHEDULE(ull_doacross, schedule, (nested, counts, chunk, first, last));
    attach(list, memory);
    return any;
}

unsigned GOMP_sections2_start(unsigned count, uint32_t *list, void **memory) {
    begin_group(list);
    const unsigned section = GOMP_sections_start(count);
    attach(list, memory);
    return section;
}

void GOMP_scope_start(uint32_t *list) {
    const range none = {0, 0, 1, 1, 0, false};
    begin_group(list);
    loop_begin(&none);
    attach(list, 0);
    GOMP_loop_end_nowait(); /* gcc does not say where it ends */
}

/* Behind the barrier at the end of the construct, unless that was cancelled. */
void GOMP_workshare_task_reduction_unregister(bool cancelled) {
    core *c = self();
    uint32_t *list = group_of(c->group)->reductions;
    GOMP_taskgroup_end();
    if (c->team == 0 || c->number == 0) GOMP_taskgroup_reduction_unregister(list);
    if (!cancelled) team_barrier(c);
}

/* All threads' tasks are of one group.  The list is the first that the region's data lead to. */
unsigned GOMP_parallel_reductions(void (*body)(void *), void *data, unsigned threads, unsigned flags) {
    (void)flags;
    core *c = self();
    word *before = c->group;
    GOMP_taskgroup_start();
    word *group = c->group;
    reductions_register(*(uint32_t **)data, c->most);
    c->group = before;
    const uint32_t ran = team_run(body, data, threads, group);
    chip_give(group_of(group));
    return ran;
}

void *malloc(size_t size) { return chip_take((uint32_t)(size != 0 ? size : 1)); }

void free(void *memory) {
    if (memory != 0) chip_give(memory);
}
