/* begun.c -- deferred constructs that need no worker: the thread that met them has started and sent them (device.h), and all
   that is left is to receive their end.

   Who first has to wait for that does it: the thread that made it, where it waits; a thread that needs an entry of the present
   table which leaves with it; a worker, when another task depends on it; the end of the program.  So nobody waits for something
   that nobody brings on.  They are listed in the order in which they were begun. */
#include "tasks.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ompls_task *first;

static void forked(void) {
    pthread_mutex_init(&lock, NULL);
    first = NULL;
}

static void watch_forks(void) {
    pthread_atfork(NULL, NULL, forked);
}

void ompls_task_begun(ompls_task *task) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    ompls_table *table = &task->device->table;
    pthread_once(&once, watch_forks);
    task->next = NULL;
    pthread_mutex_lock(&lock);
    ompls_task **last = &first;
    while (*last != NULL) last = &(*last)->next;
    *last = task;
    pthread_mutex_unlock(&lock);
    ompls_table_wake(table); /* the task may have ended */
}

/* The first one that is `wanted`, or of a table, or (both 0) any. */
static ompls_task *claim(const ompls_task *wanted, const ompls_table *table) {
    pthread_mutex_lock(&lock);
    ompls_task **at = &first, *found;
    while (*at != NULL && ((wanted != NULL && *at != wanted) || (table != NULL && &(*at)->device->table != table))) at = &(*at)->next;
    if ((found = *at) != NULL) *at = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

/* No cancellation point, as the other waits (core.h). */
void ompls_task_end(ompls_task *task) {
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    task->run(task);
    ompls_task_done(task);
    pthread_setcancelstate(before, &before);
}

bool ompls_task_claim(ompls_task *task) {
    return claim(task, NULL) != NULL;
}

bool ompls_end_begun_of(ompls_table *table) {
    ompls_task *task = claim(NULL, table);
    if (task == NULL) return false;
    pthread_mutex_unlock(&table->lock);
    ompls_task_end(task);
    ompls_table_lock(table);
    return true;
}

/* They stay as they are otherwise: the program is about to end. */
void ompls_receive_begun(const ompls_device *device) {
    for (ompls_task *task; (task = claim(NULL, &device->table)) != NULL;) ompls_receive(task->begun);
}

void ompls_end_all_begun(void) {
    for (ompls_task *task; !atomic_load(&ompls_failing) && (task = claim(NULL, NULL)) != NULL;) ompls_task_end(task);
}
