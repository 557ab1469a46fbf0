/* taskloop.c -- loops whose iterations become tasks, as gcc calls them.

   Each task has equally many iterations, or one more: with a grain size g, at least g of them and fewer than two times g. */
#include "chip.h"

enum { FINAL = 2, GRAINSIZE = 1 << 9, IF = 1 << 10, NOGROUP = 1 << 11, REDUCTION = 1 << 12, STRICT = 1 << 14 };

/* How many tasks there are, and how many iterations each has; the first `more` have one more, the last what is left. */
typedef struct {
    uint64_t tasks, each, more;
} parts;

static parts part(uint64_t all, uint64_t number, uint32_t flags) {
    if ((flags & GRAINSIZE) != 0 && (flags & STRICT) != 0) return (parts){(all - 1) / number + 1, number, 0};
    if ((flags & GRAINSIZE) != 0) number = all / number;
    if (number > all) number = all;
    if (number == 0) number = 1;
    const uint64_t each = all / number;
    return (parts){number, each, all - each * number};
}

/* The group of the loop's tasks, unless there is none, and what they reduce; the list is behind the two numbers. */
static void loop_of_tasks(making m, uint32_t number, range r, uint32_t flags) {
    core *c = self();
    uint32_t **reduced = (uint32_t **)((char *)m.data + 2 * m.bytes);
    if (r.distance == 0) {
        if ((flags & (NOGROUP | REDUCTION)) == REDUCTION) (*reduced)[2] = 0; /* nothing has been registered */
        return;
    }
    if ((flags & NOGROUP) == 0) GOMP_taskgroup_start();
    if ((flags & REDUCTION) != 0) GOMP_taskgroup_reduction_register(*reduced);
    const parts p = part((r.distance - 1) / r.step + 1, number != 0 ? number : c->team != 0 ? c->team->threads : 1, flags);
    m.final = (flags & FINAL) != 0;
    for (uint64_t i = 0; i < p.tasks; i++) {
        uint64_t size = (p.each + (i < p.more)) * r.step;
        if (size > r.distance) size = r.distance;
        m.first = r.start;
        m.last = r.start = r.down ? r.start - size : r.start + size;
        r.distance -= size;
        task_make(c, &m, (flags & IF) == 0);
    }
    if ((flags & NOGROUP) == 0) GOMP_taskgroup_end();
}

void GOMP_taskloop(void (*body)(void *), void *data, void (*copy)(void *, void *), long size, long align, unsigned flags,
                   unsigned long number, int priority, long start, long end, long step) {
    (void)priority;
    const making m = {body, data, copy, (uint32_t)size, (uint32_t)align, false, sizeof start, 0, 0};
    loop_of_tasks(m, (uint32_t)number, loop_narrow(start, end, step, 1), flags);
}

void GOMP_taskloop_ull(void (*body)(void *), void *data, void (*copy)(void *, void *), long size, long align, unsigned flags,
                       unsigned long number, int priority, unsigned long long start, unsigned long long end, unsigned long long step) {
    enum { UP = 1 << 8 };
    (void)priority;
    const making m = {body, data, copy, (uint32_t)size, (uint32_t)align, false, sizeof start, 0, 0};
    loop_of_tasks(m, (uint32_t)number, loop_wide((flags & UP) != 0, start, end, step, 1), flags);
}
