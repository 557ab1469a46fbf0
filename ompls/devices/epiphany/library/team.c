/* team.c -- parallel regions, leagues and what a team does together, as gcc calls it (libgomp.h).

   A master asks the program for cores; it gets those that are free, and they run the same function until the end of the region.  A
   team's structure is in its master's memory.  A barrier is a dissemination barrier: in round k each thread writes one word to
   the thread 2^k further on. */
#include "chip.h"

/* From here on the program may give the cores of the kernel, or those of its team, to somebody else. */
static void tell(volatile uint32_t *of, uint32_t what) {
    __atomic_store_n(of, what, __ATOMIC_SEQ_CST);
    chip_tell_host();
}

/* Cores that the program has started with `other`, at most `wanted`. */
static uint32_t ask(core *c, uint32_t wanted, bool apart, void (*other)(core *), core **into) {
    epi_slot *slot = slot_of(c);
    uint32_t before = slot->granted, given = 0, address = c->first;
    if (wanted == 0) return 0;
    slot->apart = apart, slot->other = (uint32_t)other;
    tell(&slot->wanted, wanted);
    for (uint32_t bell; bell = chip_bell(c), slot->granted == before;) chip_rest(c, bell);
    const epi_geometry *g = &control()->geometry;
    for (uint32_t row = 0, n = 0; row < g->rows; row++, address += (64 - g->columns) << 20)
        for (uint32_t column = 0; column < g->columns; column++, n++, address += 1 << 20)
            if ((slot->given[n / 32] >> n % 32 & 1) != 0) into[given++] = core_at(address);
    return given;
}

static void count(core *of, word *counter) {
    lock(&of->lock);
    ++*counter;
    unlock(&of->lock);
    chip_ring(of);
}

/* Until as many have counted, and left the lock: from then on nobody writes here. */
static void wait_for_count(core *c, word *counter, uint32_t number) {
    for (uint32_t bell; bell = chip_bell(c), *counter != number;) chip_rest(c, bell);
    lock(&c->lock);
    unlock(&c->lock);
}

/* What another core gave to this one. */
static void *wait_for_work(core *c) {
    for (uint32_t bell; bell = chip_bell(c), c->joined == 0;) chip_rest(c, bell);
    void *given = c->joined;
    c->joined = 0;
    return given;
}

/* Once it begins it writes to others. */
static void give_work(core *to, void *what) {
    chip_fence();
    __atomic_store_n(&to->joined, what, __ATOMIC_SEQ_CST);
    chip_ring(to);
}

static void enter(core *c, team *t, uint32_t number) {
    c->team = t;
    c->number = number;
    c->outer = number, c->outermost = t != 0 ? t->threads : 1;
    c->cancelled = 0, c->alone = 0;
    c->single = c->shared = c->epoch = c->children = c->head = c->tail = c->base = 0;
    c->task = 0, c->group = 0;
    for (int i = 0; i < ROUNDS; i++) c->flags[i] = 0;
}

team *team_of(core *c) {
    if (c->team != 0) return c->team;
    c->own.threads = 1;
    return &c->own;
}

void team_ring(team *t) {
    for (uint32_t i = 0; i < t->threads && t->members[i] != 0; i++) chip_ring(t->members[i]);
}

static void help_or_rest(core *c, uint32_t bell) {
    if (c->team->help == 0 || !c->team->help(c, true)) chip_rest(c, bell);
}

/* A flag may be that of the next barrier already: checks look at the one that was waited for. */
UNSEEN static void raise(core *to, uint32_t round, uint32_t epoch) {
    RELEASED(&to->flags[round], epoch);
    __atomic_store_n(&to->flags[round], epoch, __ATOMIC_SEQ_CST);
    chip_ring(to);
}

static bool is_open(const core *c, uint32_t epoch) {
    return c->cancelled != 0 && epoch < BEHIND_ALL;
}

UNSEEN static bool wait_for_flag(core *c, uint32_t round, uint32_t epoch) {
    for (uint32_t bell; bell = chip_bell(c), c->flags[round] < epoch;) {
        if (is_open(c, epoch)) return false;
        help_or_rest(c, bell);
    }
    ACQUIRED(&c->flags[round], epoch);
    return true;
}

/* Until all are there, or the region has been cancelled. */
void team_meet(core *c, uint32_t epoch) {
    team *t = c->team;
    uint32_t round = 0;
    if (t == 0) return;
    chip_fence();
    for (uint32_t far = 1; far < t->threads; far *= 2, round++) {
        raise(team_beside(t, c->number, far), round, epoch);
        if (!wait_for_flag(c, round, epoch)) return;
    }
    word *pending = &t->pending[epoch & 1];
    for (uint32_t bell; bell = chip_bell(c), *pending != 0 && !is_open(c, epoch);)
        help_or_rest(c, bell);
}

void team_barrier(core *c) { team_meet(c, ++c->epoch); }

static void end_region(core *c) {
    team_barrier(c);
    if (c->cancelled != 0) c->cancelled(c);
}

static void run_alone(core *c, void (*body)(void *), void *data, word *group) {
    enum { PLACE = offsetof(core, league) - offsetof(core, team) };
    team single = {.threads = 1, .around = c->team, .members = {c}};
    task here = {.body = body, .in_final = c->in_final};
    char before[PLACE];
    __builtin_memcpy(before, &c->team, PLACE);
    c->team = &single;
    c->number = c->shared = c->single = c->epoch = 0;
    c->alone = 0, c->task = &here, c->group = group, c->base = c->tail;
    if (c->level++ == 0) c->outer = 0, c->outermost = 1;
    body(data);
    team_barrier(c);
    __builtin_memcpy(&c->team, before, PLACE);
}

static void member(core *c) {
    team *t = wait_for_work(c);
    core *master = t->members[0];
    t->body(t->data);
    end_region(c);
    c->team = 0;
    count(master, &master->done);
}

/* How many threads ran it. */
uint32_t team_run(void (*body)(void *), void *data, uint32_t threads, word *inner) {
    core *c = self();
    if (threads == 0) threads = c->threads;
    if (threads == 0 || threads > c->most) threads = c->most;
    if (c->team != 0 || threads == 1 || c->flat != 0) {
        run_alone(c, body, data, inner);
        return 1;
    }
    team *t = &c->own;
    word *group = c->group;
    const uint32_t kept = c->threads; /* what the region sets is its own */
    __builtin_memset(t, 0, sizeof *t);
    t->threads = 1 + ask(c, threads - 1, false, member, t->members + 1);
    t->members[0] = c;
    t->body = body, t->data = data;
    c->level++;
    c->done = 0;
    enter(c, t, 0);
    c->group = inner;
    for (uint32_t i = 1; i < t->threads; i++) {
        core *other = t->members[i];
        enter(other, t, i);
        other->level = c->level, other->in_final = 0, other->group = inner;
        other->league = c->league, other->teams = c->teams, other->most = c->most, other->flat = c->flat;
    }
    for (uint32_t i = 1; i < t->threads; i++) give_work(t->members[i], t);
    body(data);
    end_region(c);
    wait_for_count(c, &c->done, t->threads - 1);
    tell(&slot_of(c)->wanted, EPI_LEFT);
    c->team = 0, c->group = group, c->threads = kept;
    c->level--;
    return t->threads;
}

void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags) {
    (void)flags;
    team_run(body, data, threads, 0);
}

static void begin_kernel(core *c, uint32_t cores) {
    word bell = c->bell;
    __builtin_memset(c, 0, __builtin_offsetof(core, index));
    c->bell = bell, c->teams = c->masters = 1, c->most = cores;
}

/* What a kernel shall have near to it (`ompx_local`) comes into this core's memory, and goes back. */
static void move_sections(const epi_parameters *all, bool in) {
    const epi_section *s = (const epi_section *)all->sections;
    for (uint32_t i = 0; i < all->number; i++, s++) {
        if (in) chip_copy((void *)s->here, (const void *)s->there, s->size);
        else if (s->back != 0) chip_copy((void *)s->there, (const void *)s->here, s->size);
    }
}

/* What a core does from its start until it is idle again. */
void serve(core *c) {
    const epi_slot *slot = slot_of(c);
    if (slot->argument == 0) {
        ((void (*)(core *))slot->entry)(c);
        return;
    }
    begin_kernel(c, control()->geometry.rows * control()->geometry.columns);
    const epi_parameters *all = (const epi_parameters *)slot->argument;
    move_sections(all, true);
    ((void (*)(void **))slot->entry)((void **)(all + 1));
    move_sections(all, false);
    tell(&slot_of(c)->status, EPI_DONE);
}

/* The kernel gets a number that its own variables of the same type cannot hold. */
void ompls_number_cut(void);
void ompls_number_cut(void) {
    epi_slot *slot = slot_of(self());
    slot->fault = EPI_CUT;
    tell(&slot->status, EPI_FAULT);
    for (;;) chip_pause(); /* until it is reset */
}

/* --- leagues -------------------------------------------------------------------------------------------------------- */

void GOMP_target_ext(int device, void (*body)(void *), size_t number, void **host, size_t *sizes, unsigned short *kinds, unsigned flags,
                     void **depend, void **more) {
    (void)device, (void)number, (void)sizes, (void)kinds, (void)flags, (void)depend, (void)more;
    core *c = self();
    c->region = body, c->data = host;
    body(host);
    wait_for_count(c, &c->ended, c->masters - 1);
}

/* Another master runs the same region; what the first one's function has on its stack, they share. */
static void lead(core *c) {
    core *first = wait_for_work(c);
    c->leader = first;
    first->region(first->data);
    c->leader = 0;
    count(first, &first->ended);
}

/* Before the league of a kernel: its teams ask for so many threads, so there are fewer of them at once. */
void ompls_team_threads(uint32_t threads);
void ompls_team_threads(uint32_t threads) { self()->wished = threads; }

static void begin_league(core *c, uint32_t teams, uint32_t limit) {
    core *others[EPI_MOST];
    const uint32_t cores = c->most, each = c->wished != 0 ? c->wished : 1;
    uint32_t at_once = 1;
    while (at_once < teams && (at_once + 1) * each <= cores) at_once++; /* a division is a call */
    c->league = 0, c->teams = teams, c->ended = 0;
    c->masters = 1 + ask(c, at_once - 1, true, lead, others);
    for (c->share = 0; c->masters * (c->share + 1) <= cores;) c->share++; /* a division is a call */
    if (limit != 0 && limit < cores) c->most = limit;
    c->threads = c->share;
    for (uint32_t i = 1; i < c->masters; i++) {
        core *other = others[i - 1];
        enter(other, 0, 0);
        other->level = other->in_final = 0;
        other->league = i, other->teams = teams, other->masters = c->masters;
        other->most = c->most, other->share = other->threads = c->share, other->flat = c->flat;
    }
    for (uint32_t i = 1; i < c->masters; i++) give_work(others[i - 1], c);
}

/* A master runs the team of its number, and then those that are as many further on as there are masters. */
bool GOMP_teams4(unsigned low, unsigned high, unsigned limit, bool first) {
    (void)low;
    core *c = self();
    if (first) {
        if (c->leader == 0) begin_league(c, high != 0 ? high : 1, limit);
        return true;
    }
    c->league += c->masters;
    c->threads = c->share;
    return c->league < c->teams;
}

void GOMP_barrier(void) { team_barrier(self()); }

/* --- locks of the chip lie in the first core ------------------------------------------------------------------------ */

void GOMP_critical_start(void) { lock(&bank()->locks[0]); }
void GOMP_critical_end(void) { unlock_far(&bank()->locks[0]); }
void GOMP_atomic_start(void) { lock(&bank()->locks[1]); }
void GOMP_atomic_end(void) { unlock_far(&bank()->locks[1]); }

/* A name gets one of the locks when it is first used: there is a word of external memory for it. */
void GOMP_critical_name_start(void **name) {
    core *b = bank();
    lock(&b->locks[2]);
    if (*name == 0) *name = (void *)(4 + b->names < LOCKS ? 4 + b->names++ : LOCKS);
    uint32_t which = (uint32_t)*name;
    unlock_far(&b->locks[2]);
    if (which == LOCKS) __builtin_trap();
    lock(&b->locks[which]);
}

void GOMP_critical_name_end(void **name) { unlock_far(&bank()->locks[(uint32_t)*name]); }

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
