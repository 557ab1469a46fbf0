/* tasks.c -- `nowait` and `depend` on device constructs: which deferred construct waits for which.

   libgomp runs every task of serial code at once and knows nothing of ours.  So a thread outside of any team has a context
   of its own: a table of the dependences of what it deferred (OpenMP 5.2 section 15.9.5).  Host tasks of serial code run in
   place; before one with `depend`, and where the program waits, translated code calls here.  Inside a team libgomp has
   the host's tasks, so there a task of libgomp stands for the construct (team.c).

   For an address the table keeps the last two sets of tasks that may run side by side: readers, one writer, or an
   `inoutset`.  A task that joins the newest set waits for the one before; any other begins a set and waits for the newest.
   `mutexinoutset` is a writer: it excludes the others, in the order of the program.

   What waits to be run holds memory, of which there is so much and no more (OMPLS_TASK_MEMORY): who would defer beyond that
   waits until enough is done.  What was deferred before depends on nothing later, so it does get done.  In a team libgomp
   has a bound of its own, on the number of tasks. */
#define _GNU_SOURCE
#include "tasks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct {
    ompls_task **task;
    uint32_t count, room;
} task_set;

typedef struct {
    const void *address; /* 0: free */
    uint64_t kind;       /* of the newest set */
    task_set newest, older;
} node;

struct ompls_context {
    pthread_mutex_t lock;
    pthread_cond_t finished;
    uint64_t made;
    ompls_task *first, *last; /* the unfinished, by number */
    _Atomic uint32_t unfinished;
    ompls_task *all; /* the last one that depends on omp_all_memory */
    node *nodes;     /* open addressing; a power of two */
    uint32_t nnodes, room;
    ompls_context *next_free;
};

static _Thread_local ompls_context *mine;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;
static ompls_context *free_contexts;

/* --- the memory of what is deferred ----------------------------------------------------------------------------------- */

enum { TASK_MEBIBYTES = 64, OVERHEAD = 256 /* of a task, in the tables here and in malloc's */ };
static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t memory_freed = PTHREAD_COND_INITIALIZER;
static uint64_t memory_used, memory_limit = (uint64_t)TASK_MEBIBYTES << 20;
static uint32_t memory_wanted; /* by so many threads */

__attribute__((constructor(102))) static void read_limit(void) {
    const char *text = getenv("OMPLS_TASK_MEMORY");
    uint64_t mebibytes = text != NULL ? strtoull(text, NULL, 10) : 0;
    if (mebibytes > 0 && mebibytes < (uint64_t)1 << 40) memory_limit = mebibytes << 20;
}

/* A task that is larger than the limit runs when nothing else is deferred. */
static void hold_memory(ompls_task *task) {
    uint64_t bytes = task->bytes += OVERHEAD;
    pthread_mutex_lock(&memory_lock);
    memory_wanted++;
    while (memory_used > 0 && memory_used + bytes > memory_limit) ompls_await(&memory_freed, &memory_lock);
    memory_wanted--;
    memory_used += bytes;
    pthread_mutex_unlock(&memory_lock);
}

static void free_memory(uint64_t bytes) {
    pthread_mutex_lock(&memory_lock);
    memory_used -= bytes;
    if (memory_wanted > 0) pthread_cond_broadcast(&memory_freed);
    pthread_mutex_unlock(&memory_lock);
}

/* What has been begun waits for nobody: there are few of those, and they are small. */
static void leave_memory(ompls_task *task) {
    free_memory(task->bytes);
    task->bytes = 0;
}

static void *grown(void *list, size_t size) {
    void *memory = realloc(list, size);
    if (memory == NULL) ompls_fail((ompls_place){0}, NULL, "out of memory for a deferred target construct");
    return memory;
}

/* --- with the context's lock held ----------------------------------------------------------------------------------- */

static void drop(ompls_task *task) {
    if (--task->references > 0) return;
    free(task->successors);
    free(task);
}

static void clear(task_set *set) {
    for (uint32_t i = 0; i < set->count; i++) drop(set->task[i]);
    set->count = 0;
}

/* What is done holds nobody up: it leaves before the set grows, so sets are as long as there are tasks in flight. */
static void add(task_set *set, ompls_task *task) {
    if (set->count == set->room) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < set->count; i++) {
            if (set->task[i]->finished) drop(set->task[i]);
            else set->task[kept++] = set->task[i];
        }
        set->count = kept;
    }
    if (set->count * 2 > set->room || set->room == 0) set->task = grown(set->task, (set->room = set->room * 2 + 4) * sizeof *set->task);
    set->task[set->count++] = task;
    task->references++;
}

static void wait_for(ompls_task *task, ompls_task *earlier) {
    if (earlier->finished || earlier == task) return;
    if (earlier->nsuccessors == earlier->room)
        earlier->successors = grown(earlier->successors, (earlier->room = earlier->room * 2 + 4) * sizeof *earlier->successors);
    earlier->successors[earlier->nsuccessors++] = task;
    task->waiting++;
    if (task->run != NULL && earlier->begun != NULL && ompls_task_claim(earlier)) ompls_work(earlier); /* nobody else waits for it yet */
}

static void wait_for_set(ompls_task *task, const task_set *set) {
    for (uint32_t i = 0; i < set->count; i++) wait_for(task, set->task[i]);
}

static void forget(ompls_context *context) {
    for (uint32_t i = 0; i < context->room; i++) {
        node *n = &context->nodes[i];
        if (n->address == NULL) continue;
        clear(&n->newest);
        clear(&n->older);
        free(n->newest.task);
        free(n->older.task);
        *n = (node){0};
    }
    free(context->nodes);
    context->nodes = NULL;
    context->nnodes = context->room = 0;
    if (context->all != NULL) drop(context->all);
    context->all = NULL;
}

static bool settled(const task_set *set) {
    for (uint32_t i = 0; i < set->count; i++)
        if (!set->task[i]->finished) return false;
    return true;
}

static node *place_of(node *nodes, uint32_t room, const void *address) {
    uint64_t hash = (uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u;
    uint32_t at = (uint32_t)(hash >> 32) & (room - 1);
    while (nodes[at].address != NULL && nodes[at].address != address) at = (at + 1) & (room - 1);
    return &nodes[at];
}

/* Twice the room, without the addresses whose tasks are all done. */
static void grow_table(ompls_context *context) {
    node *before = context->nodes;
    uint32_t count = context->room, live = 0;
    for (uint32_t i = 0; i < count; i++) {
        node *n = &before[i];
        if (n->address == NULL) continue;
        if (!settled(&n->newest) || !settled(&n->older)) {
            live++;
            continue;
        }
        clear(&n->newest);
        clear(&n->older);
        free(n->newest.task);
        free(n->older.task);
        n->address = NULL;
    }
    uint32_t room = 16;
    while (room < live * 4) room *= 2;
    context->nodes = grown(NULL, room * sizeof *context->nodes);
    memset(context->nodes, 0, room * sizeof *context->nodes);
    for (uint32_t i = 0; i < count; i++)
        if (before[i].address != NULL) *place_of(context->nodes, room, before[i].address) = before[i];
    context->nnodes = live;
    context->room = room;
    free(before);
}

static node *find(ompls_context *context, const void *address, bool make) {
    if (context->room == 0 || (context->nnodes + 1) * 2 > context->room) {
        if (!make && context->room == 0) return NULL;
        grow_table(context);
    }
    node *n = place_of(context->nodes, context->room, address);
    if (n->address == NULL && make) {
        *n = (node){.address = address};
        context->nnodes++;
    }
    return n->address != NULL ? n : NULL;
}

/* What an omp_depend_t stands for: libgomp keeps an address and a kind in it, as we do. */
static ompls_depend meant(ompls_depend depend) {
    if (depend.kind == OMPLS_DEPEND_OBJECT) memcpy(&depend, depend.address, sizeof depend);
    return depend;
}

static bool side_by_side(uint64_t kind) {
    return kind == OMPLS_DEPEND_IN || kind == OMPLS_DEPEND_INOUTSET;
}

/* omp_all_memory: after everything that has dependences, before everything that will have some. */
static void depend_on_all(ompls_context *context, ompls_task *task, bool keep) {
    for (ompls_task *t = context->first; t != NULL; t = t->after) wait_for(task, t);
    if (!keep) return;
    forget(context);
    context->all = task;
    task->references++;
}

static void depend_on(ompls_context *context, ompls_task *task, ompls_depend depend, bool keep) {
    depend = meant(depend);
    if (context->all != NULL) wait_for(task, context->all);
    if (depend.address == NULL) {
        depend_on_all(context, task, keep);
        return;
    }
    node *n = find(context, depend.address, keep);
    if (n == NULL) return;
    bool joins = n->newest.count > 0 && n->kind == depend.kind && side_by_side(depend.kind);
    if (!joins) {
        wait_for_set(task, &n->newest);
        if (!keep) return;
        task_set emptied = n->older;
        clear(&emptied);
        n->older = n->newest;
        n->newest = emptied;
        n->kind = depend.kind;
    } else {
        wait_for_set(task, &n->older);
    }
    if (keep) add(&n->newest, task);
}

/* --- contexts ----------------------------------------------------------------------------------------------------------- */

static bool waits_for(const ompls_task *task, const ompls_task *earlier) {
    for (uint32_t i = 0; i < earlier->nsuccessors; i++)
        if (earlier->successors[i] == task) return true;
    return false;
}

/* With the lock held, which is given up in between.  Of what was begun, the thread ends what was made from this number on and
   (not 0) what it waits for as `waiter`. */
static void end_begun(ompls_context *context, uint64_t number, const ompls_task *waiter) {
    for (ompls_task *task = context->first, *next; task != NULL; task = next) {
        next = task->after;
        if (task->begun == NULL || task->number < number || (waiter != NULL && !waits_for(waiter, task)) || !ompls_task_claim(task)) continue;
        pthread_mutex_unlock(&context->lock);
        ompls_task_end(task);
        pthread_mutex_lock(&context->lock);
        next = context->first;
    }
}

static void wait_since(ompls_context *context, uint64_t number) {
    pthread_mutex_lock(&context->lock);
    end_begun(context, number, NULL);
    while (context->last != NULL && context->last->number >= number) ompls_await(&context->finished, &context->lock);
    pthread_mutex_unlock(&context->lock);
}

/* The thread ends: so does its implicit task, and what it deferred was its own. */
static void thread_ends(void *context_of_thread) {
    ompls_context *context = context_of_thread;
    mine = NULL;
    if (atomic_load(&ompls_failing)) return;
    wait_since(context, 0);
    pthread_mutex_lock(&context->lock);
    forget(context);
    pthread_mutex_unlock(&context->lock);
    pthread_mutex_lock(&contexts_lock);
    context->next_free = free_contexts;
    free_contexts = context;
    pthread_mutex_unlock(&contexts_lock);
    if (syscall(SYS_gettid) == getpid()) ompls_workers_leave();
}

static void forked(void) {
    mine = NULL; /* what the parent deferred is not ours to wait for */
    free_contexts = NULL;
    pthread_mutex_init(&contexts_lock, NULL);
    pthread_mutex_init(&memory_lock, NULL);
    pthread_cond_init(&memory_freed, NULL);
    memory_used = memory_wanted = 0;
    pthread_setspecific(key, NULL);
}

static void make_key(void) {
    pthread_key_create(&key, thread_ends);
    pthread_atfork(NULL, NULL, forked);
}

static ompls_context *my_context(void) {
    if (OMPLS_LIKELY(mine != NULL)) return mine;
    pthread_once(&once, make_key);
    pthread_mutex_lock(&contexts_lock);
    ompls_context *context = free_contexts;
    if (context != NULL) free_contexts = context->next_free;
    pthread_mutex_unlock(&contexts_lock);
    if (context == NULL) {
        context = grown(NULL, sizeof *context);
        memset(context, 0, sizeof *context);
        pthread_mutex_init(&context->lock, NULL);
        pthread_cond_init(&context->finished, NULL);
    }
    pthread_setspecific(key, context);
    return mine = context;
}

static bool something_deferred(void) {
    return mine != NULL && atomic_load_explicit(&mine->unfinished, memory_order_acquire) > 0;
}

/* --- tasks ---------------------------------------------------------------------------------------------------------------- */

void ompls_task_submit(ompls_task *task, uint32_t ndepend, const ompls_depend *depend) {
    task->references = 1;
    if (ompls_in_team()) {
        ompls_team_submit(task, ndepend, depend);
        return;
    }
    ompls_context *context = my_context();
    hold_memory(task);
    pthread_mutex_lock(&context->lock);
    if (context->first == NULL && context->nnodes > 64) forget(context);
    task->context = context;
    task->number = ++context->made;
    for (uint32_t i = 0; i < ndepend; i++) depend_on(context, task, depend[i], true);
    task->before = context->last;
    if (context->last != NULL) context->last->after = task;
    else context->first = task;
    context->last = task;
    atomic_fetch_add_explicit(&context->unfinished, 1, memory_order_release);
    bool ready = task->waiting == 0;
    pthread_mutex_unlock(&context->lock);
    if (!ready) return;
    if (task->begin == NULL || !task->begin(task)) {
        ompls_work(task);
        return;
    }
    leave_memory(task);
    ompls_task_begun(task);
}

void ompls_task_done(ompls_task *task) {
    ompls_context *context = task->context;
    ompls_task *ready = NULL;
    uint64_t bytes = task->bytes;
    pthread_mutex_lock(&context->lock);
    task->finished = true;
    *(task->before != NULL ? &task->before->after : &context->first) = task->after;
    *(task->after != NULL ? &task->after->before : &context->last) = task->before;
    for (uint32_t i = 0; i < task->nsuccessors; i++) {
        ompls_task *successor = task->successors[i];
        if (--successor->waiting > 0 || successor->run == NULL) continue; /* without `run`: a thread that waits */
        successor->next = ready;
        ready = successor;
    }
    drop(task);
    atomic_fetch_sub_explicit(&context->unfinished, 1, memory_order_release);
    pthread_cond_broadcast(&context->finished);
    pthread_mutex_unlock(&context->lock);
    free_memory(bytes);
    for (ompls_task *next; ready != NULL; ready = next) {
        next = ready->next;
        ompls_work(ready);
    }
}

/* --- where the program waits ------------------------------------------------------------------------------------------------ */

void ompls_wait_host_task(uint32_t ndepend, const ompls_depend *depend) {
    ompls_team_notes(ndepend);
    if (!something_deferred() || ompls_in_team()) return;
    ompls_context *context = mine;
    ompls_task waiter = {.references = 1};
    pthread_mutex_lock(&context->lock);
    for (uint32_t i = 0; i < ndepend; i++) depend_on(context, &waiter, depend[i], false);
    end_begun(context, 0, &waiter);
    while (waiter.waiting > 0) ompls_await(&context->finished, &context->lock);
    pthread_mutex_unlock(&context->lock);
}

void ompls_wait_depend(uint32_t ndepend, const ompls_depend *depend) {
    if (ompls_in_team()) ompls_team_wait(ndepend, depend);
    else ompls_wait_host_task(ndepend, depend);
}

void ompls_taskwait(void) {
    if (something_deferred() && !ompls_in_team()) wait_since(mine, 0);
}

uint64_t ompls_taskgroup_begin(void) {
    return mine != NULL ? mine->made + 1 : 1;
}

void ompls_taskgroup_end(uint64_t begin) {
    if (something_deferred() && !ompls_in_team()) wait_since(mine, begin);
}
