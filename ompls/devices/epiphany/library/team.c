/* team.c -- parallel regions, leagues and what a team does together, as gcc calls it (libgomp.h).

   A master asks the program for cores; it gets those that are free, and they run the same function until the end of the region.  A
   team's structure is in its master's memory.  A barrier is a dissemination barrier: in round k each thread writes one word to
   the thread 2^k further on. */
#include "chip.h"

/* Members that the program has started, at most `wanted`. */
static uint32_t ask(core *c, uint32_t wanted, bool apart, core **into) {
    epi_slot *slot = &control()->slots[index_of(c)];
    if (wanted == 0) return 0;
    uint32_t before = slot->granted;
    slot->apart = apart;
    __atomic_store_n(&slot->wanted, wanted, __ATOMIC_SEQ_CST);
    chip_tell_host();
    for (uint32_t bell; bell = c->bell, slot->granted == before;) chip_rest(c, bell);
    for (uint32_t i = 0; i < slot->given; i++) into[i] = (core *)(EPI_CORE(slot->cores[i]) + BLOCK);
    return slot->given;
}

static void enter(core *c, team *t, uint32_t number) {
    c->team = t;
    c->number = number;
    c->single = c->shared = c->epoch = c->children = c->head = c->tail = c->base = 0;
    c->task = 0, c->group = 0;
    for (int i = 0; i < ROUNDS; i++) c->flags[i] = 0;
}

void team_barrier(core *c) {
    team *t = c->team;
    uint32_t epoch = ++c->epoch, round = 0;
    if (t == 0) return;
    for (uint32_t far = 1; far < t->threads; far *= 2, round++) {
        core *to = t->members[(c->number + far) % t->threads];
        __atomic_store_n(&to->flags[round], epoch, __ATOMIC_SEQ_CST);
        chip_ring(to);
        for (uint32_t bell; bell = c->bell, c->flags[round] < epoch;)
            if (!run_one(c, true)) chip_rest(c, bell);
    }
    word *pending = &t->pending[epoch & 1];
    for (uint32_t bell; bell = c->bell, *pending != 0;)
        if (!run_one(c, true)) chip_rest(c, bell);
}

typedef struct {
    team *team;
    uint32_t number, level, shared, single, epoch, base, in_final;
    task *task;
    word *group;
    loop *loop;
} kept;

static void run_alone(core *c, void (*body)(void *), void *data) {
    team single = {.threads = 1, .members = {c}};
    task here = {.body = body, .in_final = c->in_final};
    kept before = {c->team, c->number, c->level, c->shared, c->single, c->epoch, c->base, c->in_final, c->task, c->group, c->loop};
    c->team = &single;
    c->number = c->shared = c->single = c->epoch = 0;
    c->task = &here, c->group = 0, c->level++, c->base = c->tail;
    body(data);
    team_barrier(c);
    c->team = before.team, c->number = before.number, c->level = before.level, c->shared = before.shared, c->single = before.single;
    c->epoch = before.epoch, c->base = before.base, c->in_final = before.in_final, c->task = before.task;
    c->group = before.group, c->loop = before.loop;
}

void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags) {
    (void)flags;
    core *c = self();
    if (threads == 0 || threads > EPI_CORES) threads = EPI_CORES;
    if (c->team != 0 || threads == 1) {
        run_alone(c, body, data);
        return;
    }
    team *t = &c->own;
    __builtin_memset(t, 0, sizeof *t);
    t->threads = 1 + ask(c, threads - 1, false, t->members + 1);
    t->members[0] = c;
    t->body = body, t->data = data;
    c->level++;
    c->done = 0;
    enter(c, t, 0);
    for (uint32_t i = 1; i < t->threads; i++) {
        enter(t->members[i], t, i);
        t->members[i]->level = c->level, t->members[i]->in_final = 0;
        t->members[i]->league = c->league, t->members[i]->league_started = c->league_started;
    }
    for (uint32_t i = 1; i < t->threads; i++) { /* once one begins, it writes to others */
        __atomic_store_n(&t->members[i]->joined, t, __ATOMIC_SEQ_CST);
        chip_ring(t->members[i]);
    }
    body(data);
    team_barrier(c);
    for (uint32_t bell; bell = c->bell, c->done != t->threads - 1;) chip_rest(c, bell);
    c->team = 0;
    c->level--;
}

/* What a core does from its start until it is idle again. */
void serve(core *c) {
    uint32_t me = index_of(c);
    epi_slot *slot = &control()->slots[me];
    if (slot->role == EPI_KERNEL) {
        word bell = c->bell;
        __builtin_memset(c, 0, __builtin_offsetof(core, locks));
        c->bell = bell, c->base = 0;
        ((void (*)(void **))slot->entry)((void **)slot->argument);
        __atomic_store_n(&slot->status, EPI_DONE, __ATOMIC_SEQ_CST);
        chip_tell_host();
        return;
    }
    for (uint32_t bell; bell = c->bell, c->joined == 0;) chip_rest(c, bell);
    team *t = c->joined;
    core *master = t->members[0];
    c->joined = 0;
    t->body(t->data);
    if (t->threads > 1) team_barrier(c);
    c->team = 0;
    __atomic_store_n(&slot->status, EPI_DONE, __ATOMIC_SEQ_CST);
    chip_tell_host();
    lock(&master->lock);
    master->done++;
    unlock(&master->lock);
    chip_ring(master);
}

void GOMP_target_ext(int device, void (*body)(void *), size_t count, void **host, size_t *sizes, unsigned short *kinds, unsigned flags,
                     void **depend, void **more) {
    (void)device, (void)count, (void)sizes, (void)kinds, (void)flags, (void)depend, (void)more;
    body(host);
}

/* One team: its parallel regions have all free cores.  Several are run one after the other by the same master. */
bool GOMP_teams4(unsigned low, unsigned high, unsigned limit, bool first) {
    (void)low, (void)limit;
    core *c = self();
    if (first) {
        c->league = 0, c->league_started = high != 0 ? high : 1;
        return true;
    }
    return ++c->league < c->league_started || (c->league = 0, c->league_started = 1, false);
}

void GOMP_barrier(void) { team_barrier(self()); }

/* --- locks of the chip lie in the first core ------------------------------------------------------------------------ */

static core *bank(void) {
    return (core *)(EPI_CORE(0) + BLOCK);
}

void GOMP_critical_start(void) { lock(&bank()->locks[0]); }
void GOMP_critical_end(void) { unlock(&bank()->locks[0]); }
void GOMP_atomic_start(void) { lock(&bank()->locks[1]); }
void GOMP_atomic_end(void) { unlock(&bank()->locks[1]); }

/* A name gets one of the locks when it is first used: there is a word of external memory for it. */
void GOMP_critical_name_start(void **name) {
    core *b = bank();
    lock(&b->locks[2]);
    static uint32_t used = 4;
    if (*name == 0) *name = (void *)(used < LOCKS ? used++ : LOCKS);
    uint32_t which = (uint32_t)*name;
    unlock(&b->locks[2]);
    if (which == LOCKS) __builtin_trap();
    lock(&b->locks[which]);
}

void GOMP_critical_name_end(void **name) { unlock(&bank()->locks[(uint32_t)*name]); }

bool GOMP_single_start(void) {
    core *c = self();
    team *t = c->team;
    if (t == 0) return true;
    uint32_t mine = c->single++;
    lock(&t->lock);
    bool first = t->singles == mine;
    if (first) t->singles++;
    unlock(&t->lock);
    return first;
}

void *GOMP_single_copy_start(void) {
    core *c = self();
    if (GOMP_single_start()) return 0;
    team_barrier(c);
    void *copy = c->team->copy;
    return copy;
}

void GOMP_single_copy_end(void *data) {
    core *c = self();
    if (c->team == 0) return;
    c->team->copy = data;
    team_barrier(c);
}

int omp_get_thread_num(void) { core *c = self(); return c->team != 0 ? (int)c->number : 0; }
int omp_get_num_threads(void) { core *c = self(); return c->team != 0 ? (int)c->team->threads : 1; }
int omp_get_max_threads(void) { return self()->team == 0 ? EPI_CORES : 1; }
int omp_in_parallel(void) { core *c = self(); return c->team != 0 && c->team->threads > 1; }
int omp_get_level(void) { return (int)self()->level; }
int omp_get_team_num(void) { return (int)self()->league; }
int omp_get_num_teams(void) { core *c = self(); return c->league_started > 1 ? (int)c->league_started : 1; }
int omp_in_final(void) { return self()->in_final != 0; }
int omp_get_num_procs(void) { return EPI_CORES; }
