/* chip.h -- what the parts of the run time on the chip share: a core's block, a team, and the few things a core can do.

   A core knows itself by its stack, which begins at the global address of its own memory, so addresses of what lies there are
   valid on all cores.  Whoever waits looks at words that others write, of its own memory where that can be.  A core of the emulated board
   sleeps meanwhile, and who writes rings (`chip_ring`): a real one has no use for bells. */
#ifndef OMPLS_EPIPHANY_CHIP_H
#define OMPLS_EPIPHANY_CHIP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "board.h"

enum { LOOPS = 4, QUEUE = 16, LOCKS = 32, ROUNDS = 6 };

typedef volatile uint32_t word;

struct loop;

/* Iterations: a start and a distance, so that types and signs are gone.  Numbers are those to go, whichever way. */
typedef struct {
    uint64_t start, distance, step;
    uint64_t stride;           /* of a chunk; NO_CHUNK: the schedule is static and has none */
    uint64_t (*share)(const struct loop *l, uint32_t threads); /* how far a thread goes; 0: a chunk */
    bool down;
} range;

#define NO_CHUNK (~(uint64_t)0)

typedef struct loop {
    word number, busy;         /* of the construct that uses it */
    range left;
    word arrived;              /* how many threads have left it */
    word parts, turn;          /* how many have been dealt out; which of them may go on, where they are ordered */
    word *posted;              /* what iterations of the outermost loop have posted, in external memory */
    uint32_t *reduced;         /* the first thread's list of what tasks reduce (reductions.c) */
    void *memory;              /* that gcc asked for, in external memory, for all threads */
    void (*end)(struct loop *l); /* gives that back; 0: there is nothing */
} loop;

typedef struct task task;

/* In the master's memory. */
typedef struct team {
    uint32_t threads;
    struct team *around;       /* 0: it is the outermost one */
    void (*body)(void *);
    void *data;
    struct core *members[EPI_MOST];
    word lock, singles;
    word cancelled_loop;       /* the barrier behind a worksharing region that was cancelled (cancel.c) */
    void *volatile copy;
    loop loops[LOOPS];
    word pending[2]; /* tasks of this barrier and of the next */
    bool (*volatile help)(struct core *c, bool any); /* runs one; 0: nobody has made a task */
} team;

struct task { /* in external memory */
    void (*body)(void *);
    word *siblings, *pending, *group; /* the counters that it is one of */
    uint32_t in_final;
    word children;
    char data[] __attribute__((aligned(16)));
};

/* What makes a task, as gcc says it; of a loop of tasks, which iterations are those of this one. */
typedef struct {
    void (*body)(void *);
    void *data;
    void (*copy)(void *to, void *from);
    uint32_t size, align;
    bool final;
    uint32_t bytes; /* of a loop's numbers, which the data begin with; 0: it is none of a loop */
    uint64_t first, last;
} making;

typedef struct { /* of tasks; in external memory */
    word *before; /* the counter of the group around it */
    word count;
    word cancelled;
    uint32_t base;
    uint32_t *reductions; /* the innermost one (reductions.c) */
} group;

static inline group *group_of(word *count) {
    return (group *)((char *)count - __builtin_offsetof(group, count));
}

/* At the end of each core's memory. */
typedef struct core {
    word bell, resting;
    word lock;                 /* of its queue */
    word flags[ROUNDS], done;  /* written by the others */
    void *volatile joined;     /* what a core is given that another one asked for: its team, or the first master */
    word children;             /* of the implicit task */
    void (*volatile cancelled)(struct core *c); /* ends the region of its team, where that has several threads; 0: it is not cancelled */
    /* Where it is in the program: kept while a parallel region inside another one runs. */
    team *team;                /* the innermost one, 0: only the initial thread */
    uint32_t alone;            /* whether the region of a team of one was cancelled */
    uint32_t number, level, single, shared, epoch;
    uint32_t outer, outermost; /* the number in the team of level 1, and how many that has */
    loop *loop;
    uint32_t ticket;           /* the part of the loop that it has */
    uint64_t place;            /* where in a static one that begins */
    const void *counts;        /* of the loops of `ordered(n)`: how many iterations each has */
    uint32_t nested;           /* how many these are */
    task *task;                /* 0: the implicit one */
    word *group;
    uint32_t in_final;
    uint32_t base;             /* its queue at the start of the current task or group */
    uint32_t threads;          /* of a region that does not say how many; 0: as many as there may be */
    /* The rest. */
    uint32_t league, teams;    /* the number of its team; of how many */
    uint32_t masters, most;    /* that run them at once; threads of a team at most */
    uint32_t share;            /* that number of each team of a league */
    uint32_t wished;           /* what these ask for, as their text says; 0: it does not */
    uint32_t flat;             /* 1: regions have one thread (omp_set_max_active_levels) */
    void (*region)(void *);    /* what each of them runs */
    void *data;
    struct core *leader;       /* the first of them, 0 on it; how many of the others have ended */
    word ended;
    team own;
    word head, tail;
    task *queue[QUEUE];
    /* What is there as long as the chip. */
    uint32_t index, first;     /* of this core; the global address of the first one */
    volatile uint8_t marks[EPI_MOST]; /* the last one of each core's fences (locks.c) */
    word locks[LOCKS];         /* those of the first core are the chip's: of critical, atomic, memory and names, counters */
    word names;                /* locks that names of `critical` have, on the first core */
} core;

_Static_assert(__builtin_offsetof(core, resting) == 4, "the program looks at it (module/launch.c)");
_Static_assert(sizeof(core) <= EPI_LOCAL - EPI_BLOCK, "the block of a core is at the end of its memory");

static inline core *core_at(uint32_t address) {
    return (core *)((address & 0xfff00000u) + EPI_BLOCK);
}

static inline core *self(void) {
    return core_at((uint32_t)__builtin_frame_address(0));
}

/* The thread that is so far behind another one, going round. */
static inline core *team_beside(const team *t, uint32_t number, uint32_t far) {
    number += far; /* a division is a call */
    return t->members[number < t->threads ? number : number - t->threads];
}

/* The first core, where the chip's locks are. */
static inline core *bank(void) {
    return core_at(self()->first);
}

static inline epi_control *control(void) {
    return (epi_control *)EPI_EXTERNAL;
}

static inline epi_slot *slot_of(const core *c) {
    return &control()->slots[c->index];
}

/* What checks (races.c) do not see, and what they are told of instead: who acquires a word's value knows of all before its release. */
#define UNSEEN __attribute__((no_sanitize("thread")))
#ifdef OMPLS_CHECKED
void races_release(const word *at, uint32_t value);
void races_acquire(const word *at, uint32_t value);
#define RELEASED(at, value) races_release(at, value)
#define ACQUIRED(at, value) races_acquire(at, value)
#else
#define RELEASED(at, value)
#define ACQUIRED(at, value)
#endif

/* machine.c, on a real core ecore.c */
bool chip_testset(word *lock);            /* whether it was 0; it is not now */
void chip_pause(void);                    /* for a moment */
void chip_reach(volatile uint8_t *marks, const core *c); /* until what this core has written before to the memory of `marks` is there */
double chip_seconds(void);
void chip_copy(void *to, const void *from, uint32_t size); /* by DMA; waits for it */

void lock(word *l);
void unlock(word *l);

/* locks.c */
void chip_fence(void);     /* until what this core has written before is where it was written */
void unlock_far(word *l); /* whose data are in another memory than the lock: once they are there */

#ifdef OMPLS_EMULATED
void chip_ring(core *c);
void chip_rest(core *c, uint32_t bell);   /* until its bell has rung since */
void chip_tell_host(void);
static inline uint32_t chip_bell(const core *c) { return c->bell; }
static inline bool chip_rests(const core *c) { return c->resting != 0; }
#else /* who waits reads its own memory, and the host looks again and again */
static inline void chip_ring(core *c) { (void)c; }
static inline void chip_rest(core *c, uint32_t bell) { (void)c, (void)bell; }
static inline void chip_tell_host(void) {}
static inline uint32_t chip_bell(const core *c) { return (void)c, 0; }
static inline bool chip_rests(const core *c) { return (void)c, false; }
#endif

/* external.c */
void *chip_take(uint32_t size);
void chip_give(void *memory);

/* loops.c */
range loop_narrow(long start, long end, long step, long chunk);
range loop_wide(bool up, unsigned long long start, unsigned long long end, unsigned long long step, unsigned long long chunk);
void range_part(const range *r, uint64_t begin, uint64_t size, uint64_t *first, uint64_t *last);
uint64_t loop_guided(const loop *l, uint32_t threads);
void loop_begin(const range *r);
bool loop_take(uint64_t *first, uint64_t *last);

/* cancel.c */
bool is_cancelled(const core *c);

/* tasks.c */
bool run_one(core *c, bool any);
void run_tasks_until(core *c, word *counter);

void task_make(core *c, const making *m, bool alone);
bool task_is_cancelled(const core *c, word *group);
void GOMP_taskgroup_start(void);
void GOMP_taskgroup_end(void);

/* reductions.c */
void reductions_register(uint32_t *list, uint32_t threads);
void reductions_share(uint32_t *list, const uint32_t *first);
void GOMP_taskgroup_reduction_register(uint32_t *data);

/* team.c */
team *team_of(core *c); /* outside of a parallel region its own, of one */
void team_ring(team *t);
enum { BEHIND_ALL = 1 << 30 }; /* barriers: from that one on all threads are waited for, in a cancelled region as well */
void team_meet(core *c, uint32_t barrier);
void team_barrier(core *c);
uint32_t team_run(void (*body)(void *), void *data, uint32_t threads, word *group);
void serve(core *c);
#endif
