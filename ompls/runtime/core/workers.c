/* workers.c -- the threads that run deferred target constructs: one construct a worker at a time, so that copies and
   kernels of different tasks overlap on devices whose modules only know how to do one thing until it is done.

   A worker is made when something is ready and nobody is idle, up to USUAL of them, and stays until the program ends: a
   device may keep things for each thread (a CUDA stream, a Python thread state, libgomp's own threads).  A program whose main
   thread has called pthread_exit ends with its last thread: from then on idle workers leave.

   Kernels may wait for each other, more of them than that: what has stood in the queue for a second gets a late worker.  The device then
   runs it, or says why it cannot. */
#include "tasks.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum { USUAL = 16, MOST = 96 /* more than the cores of any chip */ };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER, settled = PTHREAD_COND_INITIALIZER;
static ompls_task *first, *last; /* the queue */
static pthread_t workers[MOST];
static int nworkers, nidle; /* of the usual ones */
static bool late; /* one waits until the first in the queue has stood for long */
static uint32_t nqueued;
static uint64_t unfinished; /* submitted to the workers and not done */
static bool ending, leaving;

/* With the lock held: this worker ends before the program does. */
static void leave(void) {
    for (int i = 0; i < nworkers; i++) {
        if (!pthread_equal(workers[i], pthread_self())) continue;
        workers[i] = workers[--nworkers];
        pthread_detach(pthread_self());
        break;
    }
}

static ompls_task *take(void) {
    ompls_task *task = first;
    first = task->next;
    if (first == NULL) last = NULL;
    nqueued--;
    return task;
}

static void end(ompls_task *task) {
    task->run(task);
    ompls_task_done(task);
    pthread_mutex_lock(&lock);
    if (--unfinished == 0) pthread_cond_broadcast(&settled);
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused) {
    pthread_mutex_lock(&lock);
    for (;;) {
        while (first == NULL && !ending && !leaving) {
            nidle++;
            pthread_cond_wait(&changed, &lock);
            nidle--;
        }
        if (first == NULL) break;
        ompls_task *task = take();
        pthread_mutex_unlock(&lock);
        end(task);
        pthread_mutex_lock(&lock);
    }
    if (!ending) leave();
    pthread_mutex_unlock(&lock);
    return unused;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void add_worker(void *(*of)(void *));

/* What nobody else has taken for a second, if there is something; then another one waits for the next. */
static void *work_late(void *unused) {
    enum { STEP = 100000000 /* ns */ };
    pthread_mutex_lock(&lock);
    while (first != NULL && seconds() - first->since < 1) {
        pthread_mutex_unlock(&lock);
        nanosleep(&(struct timespec){.tv_nsec = STEP}, NULL);
        pthread_mutex_lock(&lock);
    }
    late = false;
    if (first == NULL) {
        if (!ending) leave();
        pthread_mutex_unlock(&lock);
        return NULL;
    }
    ompls_task *task = take();
    if (first != NULL && nworkers < MOST) add_worker(work_late);
    pthread_mutex_unlock(&lock);
    end(task);
    return work(unused);
}

/* In a child of fork there is nobody to run what was submitted: its results belong to the parent. */
static void forked(void) {
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&changed, NULL);
    pthread_cond_init(&settled, NULL);
    first = last = NULL;
    nworkers = nidle = 0;
    nqueued = 0;
    unfinished = 0;
    late = false;
}

/* With the lock held.  The program's signals are for its own threads. */
static void add_worker(void *(*of)(void *)) {
    if (nworkers == 0) {
        static bool registered;
        if (!registered) registered = pthread_atfork(NULL, NULL, forked) == 0;
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&workers[nworkers], NULL, of, NULL) == 0) nworkers++, late = late || of == work_late;
    else if (nworkers == 0) ompls_fail((ompls_place){0}, "check the limit on threads", "no thread can be started for a deferred target construct");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void ompls_work(ompls_task *task) {
    task->since = seconds();
    pthread_mutex_lock(&lock);
    task->next = NULL;
    if (last != NULL) last->next = task;
    else first = task;
    last = task;
    nqueued++;
    unfinished++;
    if (nqueued > (uint32_t)nidle && nworkers < USUAL) add_worker(work);
    else if (nqueued > (uint32_t)nidle && nworkers < MOST && !late) add_worker(work_late);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

void ompls_workers_leave(void) {
    pthread_mutex_lock(&lock);
    leaving = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

void ompls_workers_finish(void) {
    ompls_end_all_begun();
    pthread_mutex_lock(&lock);
    while (unfinished > 0 && !atomic_load(&ompls_failing)) pthread_cond_wait(&settled, &lock);
    ending = true;
    pthread_cond_broadcast(&changed);
    int count = nworkers;
    nworkers = 0;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < count && !atomic_load(&ompls_failing); i++) pthread_join(workers[i], NULL);
}
