/* tasks.c -- explicit tasks: a queue in each core's memory, from which the others steal; their data are in external memory.

   A task runs at once where there is no room for it, inside a final task, or when it has dependences: the order in which tasks
   are met is one that all dependences allow.  Who waits for its children runs only what it has queued itself since, so stacks
   stay short; at a barrier any task is run. */
#include "chip.h"

enum { FINAL = 2, DEPEND = 8, DETACH = 1 << 13, MOST = 4096 };

/* A counter lies in a core's memory, with whose lock it changes, or in a task's. */
static void change(word *counter, uint32_t by) {
    if (counter == 0) return;
    const uint32_t at = (uint32_t)counter;
    const bool external = at >= EPI_EXTERNAL && at < EPI_EXTERNAL + EPI_EXTERNAL_SIZE;
    word *l = external ? &bank()->locks[3] : &core_at(at)->lock;
    lock(l);
    *counter += by;
    if (external) unlock_far(l);
    else unlock(l);
}

static void run(core *c, task *t) {
    task *before = c->task;
    uint32_t base = c->base, final = c->in_final;
    word *group = c->group;
    c->task = t, c->base = c->tail, c->in_final = t->in_final, c->group = t->group;
    if (!task_is_cancelled(c, t->group)) t->body(t->data);
    c->task = before, c->base = base, c->in_final = final, c->group = group;
    for (uint32_t bell; bell = chip_bell(c), t->children != 0;) /* they count in it */
        if (!run_one(c, false)) chip_rest(c, bell);
    chip_fence();
    word *counters[] = {t->siblings, t->group, t->pending};
    chip_give(t);
    for (unsigned i = 0; i < 3; i++) change(counters[i], ~0u);
    for (uint32_t i = 0; i < c->team->threads; i++) chip_ring(c->team->members[i]);
}

/* A task of a group or region that was cancelled does not begin. */
bool task_is_cancelled(const core *c, word *group) {
    return is_cancelled(c) || (group != 0 && group_of(group)->cancelled != 0);
}

static task *pop(core *c, bool newest) {
    task *found = 0;
    lock(&c->lock);
    if (c->head != c->tail) found = newest ? c->queue[--c->tail % QUEUE] : c->queue[c->head++ % QUEUE];
    unlock(&c->lock);
    return found;
}

/* One task, if there is one: of this core, and, where `any` may run, of others. */
bool run_one(core *c, bool any) {
    team *t = c->team;
    if (t == 0) return false;
    task *found = any || (int32_t)(c->tail - c->base) > 0 ? pop(c, true) : 0;
    for (uint32_t i = 1; found == 0 && any && i < t->threads; i++) {
        core *other = team_beside(t, c->number, i);
        if (other->head != other->tail) found = pop(other, false);
    }
    if (found != 0) run(c, found);
    return found != 0;
}

void run_tasks_until(core *c, word *counter) {
    for (uint32_t bell; bell = chip_bell(c), *counter != 0;)
        if (!run_one(c, false)) chip_rest(c, bell);
}

static bool put(core *c, task *t) {
    chip_fence(); /* who steals it reads what is in external memory */
    lock(&c->lock);
    bool room = c->tail - c->head < QUEUE;
    if (room) c->queue[c->tail++ % QUEUE] = t;
    unlock(&c->lock);
    return room;
}

static void fill(const making *m, char *to) {
    if (to == m->data) /* they stay where they are */;
    else if (m->copy != 0) m->copy(to, m->data);
    else __builtin_memcpy(to, m->data, m->size);
    if (m->bytes == 0) return;
    __builtin_memcpy(to, &m->first, m->bytes); /* the chip's numbers begin with their low bytes */
    __builtin_memcpy(to + m->bytes, &m->last, m->bytes);
}

static void run_at_once(core *c, const making *m) {
    char room[m->copy != 0 ? m->size + m->align : 1];
    char *arguments = m->data;
    if (m->copy != 0) arguments = (char *)(((uint32_t)room + m->align - 1) & ~(m->align - 1));
    fill(m, arguments);
    task here = {.body = m->body, .in_final = c->in_final || m->final, .group = c->group};
    task *before = c->task;
    uint32_t base = c->base, kept = c->in_final, threads = c->threads;
    c->task = &here, c->base = c->tail, c->in_final = here.in_final;
    m->body(arguments);
    run_tasks_until(c, &here.children);
    c->task = before, c->base = base, c->in_final = kept, c->threads = threads;
}

void task_make(core *c, const making *m, bool alone) {
    team *t = c->team;
    if (task_is_cancelled(c, c->group)) return;
    alone = alone || t == 0 || t->threads == 1 || c->in_final || m->final || m->size > MOST || c->tail - c->head == QUEUE;
    task *made = alone ? 0 : chip_take((uint32_t)sizeof *made + m->size + m->align);
    if (made == 0) {
        run_at_once(c, m);
        return;
    }
    *made = (task){.body = m->body, .group = c->group};
    made->siblings = c->task != 0 ? &c->task->children : &c->children;
    made->pending = &t->pending[(c->epoch + 1) & 1];
    fill(m, made->data);
    t->help = run_one;
    change(made->siblings, 1), change(made->group, 1), change(made->pending, 1);
    if (!put(c, made)) run(c, made);
    for (uint32_t i = 0; i < t->threads; i++)
        if (chip_rests(t->members[i])) chip_ring(t->members[i]);
}

void GOMP_task(void (*body)(void *), void *data, void (*copy)(void *, void *), long size, long align, bool deferred, unsigned flags,
               void **depend, int priority, void *detach) {
    (void)depend, (void)priority, (void)detach;
    const making m = {body, data, copy, (uint32_t)size, (uint32_t)align, (flags & FINAL) != 0, 0, 0, 0};
    task_make(self(), &m, !deferred || (flags & DEPEND) != 0);
}

void GOMP_taskwait(void) {
    core *c = self();
    run_tasks_until(c, c->task != 0 ? &c->task->children : &c->children);
}

void GOMP_taskwait_depend(void **depend) { (void)depend; } /* who has dependences has run */
void GOMP_taskyield(void) { chip_pause(); } /* for who looks at a word again and again */

void GOMP_taskgroup_start(void) {
    core *c = self();
    group *g = chip_take(sizeof *g);
    if (g == 0) __builtin_trap();
    *g = (group){c->group, 0, 0, c->base, c->group != 0 ? group_of(c->group)->reductions : 0};
    c->group = &g->count;
}

void GOMP_taskgroup_end(void) {
    core *c = self();
    group *g = group_of(c->group);
    run_tasks_until(c, &g->count);
    c->group = g->before;
    chip_give(g);
}
