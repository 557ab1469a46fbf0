/* Deferred constructs in serial code and in teams: what must overlap does, what must wait does.

   A kernel sleeps, so that a core that runs in the call, or in the order of submission, is told apart; or it waits until
   another one runs, so that a core that runs them one by one is.  Usage: tasks CASE. */
#define _GNU_SOURCE
#include <omp.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mock.h"

enum { SLEEP_MS = 100, MEET = -1 };

static const ompls_item_desc items[] = {{"x", OMPLS_MAP_TO | OMPLS_MAP_FROM}};
static const ompls_param_desc params[] = {
    {"x", OMPLS_PARAM_ADDRESS, 0, 8}, {"factor", OMPLS_PARAM_VALUE, 0, 4}, {"ms", OMPLS_PARAM_VALUE, 1, 4}};
static ompls_region region = {"tasks.c", 7, "scale", OMPLS_MODE_SPMD, 1, 3, 2, items, params, 0, 0, 0};
static ompls_region data = {"tasks.c", 8, 0, OMPLS_MODE_SPMD, 1, 0, 0, items, 0, 0, 0, 0};

/* x = x * factor + 1: not commutative, so an order that was not kept shows. */
static _Atomic int last_result;
int ompls_next_idle_device(void);

/* Returns when two kernels are in here. */
static void meet(void) {
    static _Atomic unsigned arrived;
    unsigned mine = atomic_fetch_add(&arrived, 1);
    for (int i = 0; i < 10000 && atomic_load(&arrived) <= (mine | 1); i++) usleep(1000);
    MOCK_CHECK(atomic_load(&arrived) > (mine | 1));
}

static void scale(void **given, const ompls_launch_request *request) {
    (void)request;
    if (*(int *)given[2] == MEET) meet();
    else usleep((unsigned)*(int *)given[2] * 1000);
    int *x = *(int **)given[0];
    last_result = *x = *x * *(int *)given[1] + 1;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void submit(int *x, int factor, int ms, uint32_t ndepend, const ompls_depend *depend) {
    ompls_arg args[] = {{x, x, sizeof *x, 0}};
    const void *values[] = {&factor, &ms};
    MOCK_CHECK(ompls_target_nowait(&region, OMPLS_DEVICE_DEFAULT, args, values, NULL, ndepend, depend) == 1);
    args[0].base = values[0] = NULL; /* the task has copies */
    factor = ms = -1;
}

static void chain(int *x, int factor, int ms, uint64_t kind, const void *on) {
    submit(x, factor, ms, 1, &(ompls_depend){on, kind});
}

static void two_overlap(void) {
    int a = 1, b = 2;
    submit(&a, 10, MEET, 0, NULL);
    MOCK_CHECK(a == 1);
    submit(&b, 10, MEET, 0, NULL);
    ompls_taskwait();
    MOCK_CHECK(a == 11 && b == 21);
}

/* The table's rules. */
static void kinds_order(void) {
    int a = 1, b = 0, c = 0;
    double began = now();
    chain(&a, 2, SLEEP_MS, OMPLS_DEPEND_OUT, &a);
    chain(&b, 1, MEET, OMPLS_DEPEND_IN, &a);
    chain(&c, 1, MEET, OMPLS_DEPEND_IN, &a);
    chain(&a, 5, 0, OMPLS_DEPEND_INOUT, &a);
    ompls_wait_depend(1, &(ompls_depend){&a, OMPLS_DEPEND_IN});
    MOCK_CHECK(a == 16 && b == 1 && c == 1);
    MOCK_CHECK(now() - began >= SLEEP_MS);
    chain(&b, 1, MEET, OMPLS_DEPEND_INOUTSET, &a);
    chain(&c, 1, MEET, OMPLS_DEPEND_INOUTSET, &a);
    chain(&a, 2, 0, OMPLS_DEPEND_IN, &a);
    ompls_taskwait();
    MOCK_CHECK(a == 33 && b == 2 && c == 2);
    for (int i = 0; i < 3; i++) chain(&a, 2, 5, OMPLS_DEPEND_MUTEXINOUTSET, &b);
    ompls_taskwait();
    MOCK_CHECK(a == ((33 * 2 + 1) * 2 + 1) * 2 + 1);
}

static void objects_and_all_memory(void) {
    int a = 1, b = 1, c = 1;
    omp_depend_t object;
#pragma omp depobj(object) depend(inout : a)
    chain(&a, 2, SLEEP_MS, OMPLS_DEPEND_OBJECT, &object);
    chain(&b, 2, 2 * SLEEP_MS, OMPLS_DEPEND_OUT, &b);
    chain(&c, 7, 0, OMPLS_DEPEND_INOUT, NULL); /* after a and b */
    chain(&a, 3, 0, OMPLS_DEPEND_INOUT, &a);   /* after c */
    ompls_wait_depend(1, &(ompls_depend){&b, OMPLS_DEPEND_IN});
    MOCK_CHECK(b == 3 && c == 8);
    ompls_wait_depend(1, &(ompls_depend){NULL, OMPLS_DEPEND_INOUT});
    MOCK_CHECK(a == 10);
#pragma omp depobj(object) destroy
}

/* On a device that takes what is sent (MOCK_SENDS). */
static void sent_and_received(void) {
    static int large[2000];
    int a = 1, b = 1;
    ompls_arg args[] = {{&a, &a, sizeof a, 0}}, more[] = {{large, large, sizeof large, 0}};
    submit(&a, 2, 0, 0, NULL);
    submit(&b, 2, 0, 0, NULL);
    MOCK_CHECK(mock_sent == 2 && mock_launches == 2 && mock_out == 2 && a == 1 && b == 1);
    ompls_taskwait();
    MOCK_CHECK(a == 3 && b == 3 && mock_waits == 0);
    chain(&a, 2, 0, OMPLS_DEPEND_OUT, &a);
    ompls_wait_depend(1, &(ompls_depend){&b, OMPLS_DEPEND_IN});
    MOCK_CHECK(mock_sent == 3 && a == 3);
    ompls_wait_depend(1, &(ompls_depend){&a, OMPLS_DEPEND_IN});
    MOCK_CHECK(a == 7);
    submit(&a, 2, 0, 0, NULL);
    ompls_enter_data(&data, OMPLS_DEVICE_DEFAULT, args); /* what it needs leaves with the region */
    MOCK_CHECK(mock_sent == 4 && a == 15);
    submit(&a, 2, 0, 0, NULL);
    ompls_exit_data(&data, OMPLS_DEVICE_DEFAULT, args); /* the region has it still */
    MOCK_CHECK(mock_sent == 5 && a == 15);
    ompls_taskwait();
    MOCK_CHECK(a == 31 && mock_allocs == mock_frees);
    chain(&a, 2, 0, OMPLS_DEPEND_OUT, &a);
    chain(&a, 2, 0, OMPLS_DEPEND_OUT, &a); /* it needs the end of the other one, and nobody waits here */
    for (int i = 0; i < 10000 && mock_launches < 7; i++) usleep(1000);
    MOCK_CHECK(mock_sent == 6 && mock_launches == 7);
    const void *values[] = {&(int){1}, &(int){0}};
    MOCK_CHECK(ompls_target_nowait(&region, OMPLS_DEVICE_DEFAULT, more, values, NULL, 0, NULL) == 1);
    ompls_taskwait();
    MOCK_CHECK(mock_sent == 6 && a == 127 && large[0] == 1); /* too much to be sent without waiting */
    ompls_next_idle_device();
    submit(&a, 2, 0, 0, NULL); /* who asks wants to know when it is done, and not when somebody has waited for it */
    ompls_taskwait();
    MOCK_CHECK(mock_sent == 6 && a == 255 && mock_allocs == mock_frees);
}

static void groups(void) {
    int a = 1, b = 1;
    submit(&a, 2, 3 * SLEEP_MS, 0, NULL);
    uint64_t group = ompls_taskgroup_begin();
    submit(&b, 2, SLEEP_MS, 0, NULL);
    ompls_taskgroup_end(group);
    MOCK_CHECK(b == 3 && a == 1);
    ompls_taskwait();
    MOCK_CHECK(a == 3);
}

static void data_constructs(void) {
    int a = 1;
    ompls_arg args[] = {{&a, &a, sizeof a, 0}};
    ompls_depend on = {&a, OMPLS_DEPEND_INOUT};
    ompls_data_nowait(ompls_enter_data, &data, OMPLS_DEVICE_DEFAULT, args, 1, &on);
    chain(&a, 2, SLEEP_MS, OMPLS_DEPEND_INOUT, &a);
    MOCK_CHECK(a == 1);
    ompls_data_nowait(ompls_exit_data, &data, OMPLS_DEVICE_DEFAULT, args, 1, &on);
    ompls_taskwait();
    MOCK_CHECK(a == 3 && mock_allocs == mock_frees && mock_in == 1 && mock_out == 1);
}

/* A large firstprivate variable's value is the construct's, not the task's. */
static void values_are_captured(void) {
    static const ompls_item_desc captured[] = {{"big", OMPLS_MAP_TO | OMPLS_MAP_FROM | OMPLS_MAP_VALUE}};
    ompls_region with_value = region;
    with_value.items = captured;
    with_value.cache = NULL;
    int blocker = 1, big = 5, one = 1, nothing = 0;
    chain(&blocker, 1, SLEEP_MS, OMPLS_DEPEND_OUT, &blocker);
    ompls_arg args[] = {{&big, &big, sizeof big, 0}};
    const void *values[] = {&one, &nothing};
    ompls_target_nowait(&with_value, OMPLS_DEVICE_DEFAULT, args, values, NULL, 1, &(ompls_depend){&blocker, OMPLS_DEPEND_IN});
    big = 77;
    ompls_taskwait();
    MOCK_CHECK(big == 77 && last_result == 5 * 1 + 1);
}

/* Constructs with 64 KiB each, one after another: they are held up when a mebibyte of them waits, and all of them run. */
static void memory_is_bounded(void) {
    enum { MANY = 1000, SIZE = 1 << 16 };
    static const ompls_item_desc captured[] = {{"big", OMPLS_MAP_TO | OMPLS_MAP_VALUE}};
    static char big[SIZE], huge[3 << 20];
    ompls_region with_value = region;
    with_value.items = captured;
    with_value.cache = NULL;
    int one = 1, nothing = 0, most = 0, gate = 1;
    const void *values[] = {&one, &nothing};
    ompls_depend depend = {&gate, OMPLS_DEPEND_INOUT};
    ompls_arg arg = {big, big, SIZE, 0};
    for (int i = 0; i < MANY; i++) {
        if (i == MANY / 2) arg = (ompls_arg){huge, huge, sizeof huge, 0};
        if (i == MANY / 2 + 1) arg = (ompls_arg){big, big, SIZE, 0};
        ompls_target_nowait(&with_value, OMPLS_DEVICE_DEFAULT, &arg, values, NULL, 1, &depend);
        int ahead = i + 1 - (int)mock_launches;
        if (ahead > most) most = ahead;
    }
    ompls_taskwait();
    MOCK_CHECK(mock_launches == MANY && most > 1 && most <= (1 << 20) / SIZE + 1);
}

/* In a team libgomp's tasks and ours wait for each other. */
static void team(void) {
    int a = 1, seen = 0, b = 1, c = 1, all = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        chain(&a, 2, SLEEP_MS, OMPLS_DEPEND_OUT, &a);
#pragma omp task depend(in : a) shared(seen, a)
        seen = a;
#pragma omp task depend(inout : b) shared(b)
        {
            usleep(SLEEP_MS * 1000);
            b = 5;
        }
        chain(&b, 3, 0, OMPLS_DEPEND_INOUT, &b);
        ompls_wait_depend(1, &(ompls_depend){&b, OMPLS_DEPEND_IN});
        MOCK_CHECK(b == 16);
#pragma omp taskwait
        MOCK_CHECK(seen == 3);
#pragma omp taskgroup
        submit(&a, 4, SLEEP_MS, 0, NULL);
        MOCK_CHECK(a == 13);
        submit(&a, 1, MEET, 0, NULL);
        submit(&c, 1, MEET, 0, NULL);
#pragma omp taskwait
        MOCK_CHECK(a == 14 && c == 2);
        chain(&a, 1, SLEEP_MS, OMPLS_DEPEND_OUT, &a);
#pragma omp taskwait depend(in : a)
        MOCK_CHECK(a == 15);
        chain(&b, 1, SLEEP_MS, OMPLS_DEPEND_OUT, &b);
        chain(&all, 1, 0, OMPLS_DEPEND_OUT, NULL);
        MOCK_CHECK(b == 17 && all == 1);
        submit(&a, 0, SLEEP_MS, 0, NULL);
    }
    MOCK_CHECK(a == 1);
#pragma omp parallel num_threads(1)
    chain(&a, 8, SLEEP_MS, OMPLS_DEPEND_OUT, &a);
    MOCK_CHECK(a == 9);
}

/* Threads of the program that are no team: each has its own tasks. */
static void *thread_of_its_own(void *argument) {
    int *counters = argument, own[20] = {0};
    for (int i = 0; i < 200; i++) chain(&counters[i % 4], 1, 0, OMPLS_DEPEND_INOUT, &counters[i % 4]);
    for (int i = 0; i < 20; i++) submit(&own[i], 1, 0, 0, NULL);
    ompls_wait_depend(4, (ompls_depend[]){{&counters[0], OMPLS_DEPEND_IN}, {&counters[1], OMPLS_DEPEND_IN},
                                          {&counters[2], OMPLS_DEPEND_IN}, {&counters[3], OMPLS_DEPEND_IN}});
    for (int i = 0; i < 4; i++) MOCK_CHECK(counters[i] == 50);
    ompls_taskwait();
    chain(&counters[0], 1, 10, OMPLS_DEPEND_INOUT, &counters[0]); /* the end of the thread waits for it */
    return NULL;
}

static void threads(void) {
    enum { THREADS = 8 };
    static int counters[THREADS][4];
    pthread_t made[THREADS];
    for (int i = 0; i < THREADS; i++) MOCK_CHECK(pthread_create(&made[i], NULL, thread_of_its_own, counters[i]) == 0);
    for (int i = 0; i < THREADS; i++) pthread_join(made[i], NULL);
    for (int i = 0; i < THREADS; i++) MOCK_CHECK(counters[i][0] == 51);
    MOCK_CHECK(mock_allocs == mock_frees);
}

/* The copying routines are tasks: they obey depend objects, and `taskwait` waits for them. */
static void routines(void) {
    int host[4] = {1, 2, 3, 4}, back[4] = {0}, x = 1, number = omp_get_default_device();
    int *there = omp_target_alloc(sizeof host, number);
    omp_depend_t object, other;
#pragma omp depobj(object) depend(inout : host)
#pragma omp depobj(other) depend(inout : x)
    chain(&x, 1, SLEEP_MS, OMPLS_DEPEND_INOUT, &host);
    MOCK_CHECK(omp_target_memcpy_async(there, host, sizeof host, 0, 0, number, omp_get_initial_device(), 1, &object) == 0);
    host[1] = 20; /* before the copy, which waits for the region */
    MOCK_CHECK(omp_target_memcpy_rect_async(back, there, sizeof(int), 1, (size_t[]){2}, (size_t[]){1}, (size_t[]){0}, (size_t[]){4},
                                            (size_t[]){4}, omp_get_initial_device(), number, 1, &object) == 0);
    ompls_taskwait();
    MOCK_CHECK(back[0] == 0 && back[1] == 1 && back[2] == 20 && back[3] == 0 && x == 2);
    chain(&x, 1, 0, OMPLS_DEPEND_OBJECT, &other);
    omp_target_memset_async(there, 0, sizeof host, number, 0, NULL);
    ompls_taskwait();
    omp_target_memcpy(back, there, sizeof host, 0, 0, omp_get_initial_device(), number);
    MOCK_CHECK(back[0] == 0 && back[3] == 0 && x == 3);
    MOCK_CHECK(omp_target_memcpy_async(there, host, 4, 0, 0, 99, 98, 0, NULL) != 0);
    omp_target_free(there, number);
#pragma omp depobj(object) destroy
#pragma omp depobj(other) destroy
}

static _Atomic int waits;

static void *waits_for_a_task(void *x) {
    submit(x, 3, SLEEP_MS, 0, NULL);
    waits = 1;
    ompls_taskwait();
    pthread_testcancel();
    return NULL;
}

/* Waiting is no cancellation point. */
static void cancelled_while_it_waits(void) {
    static int x = 1;
    pthread_t thread;
    void *result;
    MOCK_CHECK(pthread_create(&thread, NULL, waits_for_a_task, &x) == 0);
    while (!waits) usleep(1000);
    usleep(SLEEP_MS * 100);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    MOCK_CHECK(result == PTHREAD_CANCELED && x == 4);
    submit(&x, 1, 0, 0, NULL);
    ompls_taskwait();
    MOCK_CHECK(x == 5);
}

static int at_exit;
static void end_with_work_in_flight(void) {
    at_exit = 1;
    submit(&at_exit, 41, SLEEP_MS, 0, NULL);
}

static void main_thread_leaves(void) {
    end_with_work_in_flight();
    pthread_exit(NULL);
}

static void error_in_a_task(void) {
    static int a;
    mock_launch_error = (ompls_error){.reason = "the cable is out", .hint = "ask the test"};
    submit(&a, 1, 0, 0, NULL);
    ompls_taskwait();
    usleep(10 * 1000 * 1000); /* the error ends the program */
}

/* The program's end waits for a task, and the task fails. */
static void error_at_the_end(void) {
    static int a, gate;
    chain(&gate, 1, SLEEP_MS, OMPLS_DEPEND_OUT, &gate);
    chain(&a, 1, 0, OMPLS_DEPEND_IN, &gate);
    usleep(SLEEP_MS * 500);
    mock_launch_error = (ompls_error){.reason = "the cable is out", .hint = "ask the test"};
}

__attribute__((destructor(101))) static void after_everything(void) {
    if (at_exit != 0) printf("at exit: %d\n", at_exit);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"overlap", two_overlap}, {"kinds", kinds_order}, {"objects", objects_and_all_memory}, {"groups", groups}, {"sent", sent_and_received},
                 {"data", data_constructs}, {"values", values_are_captured}, {"team", team}, {"memory", memory_is_bounded}, {"threads", threads}, {"routines", routines},
                 {"exit", end_with_work_in_flight}, {"leave", main_thread_leaves}, {"cancel", cancelled_while_it_waits}, {"error", error_in_a_task},
                 {"late-error", error_at_the_end}};
    mock_add_kernel("scale", scale);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && strcmp(cases[i].name, argv[1]) == 0) cases[i].run();
    return 0;
}
