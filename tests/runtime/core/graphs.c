/* Task graphs that are recorded once and replayed: the same results as in the order of the program, whoever runs them.

   The graphs are random: a task adds a place to another one, in a way whose order shows.  Usage: graphs CASE. */
#define _GNU_SOURCE
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "mock.h"

enum { PLACES = 6, TASKS = 40, GRAPHS = 50 };

typedef struct {
    int to, from, plus;
} step; /* what a task has saved */

static _Atomic int ran; /* tasks */

static void compute(int *to, const int *from, int plus) {
    *to = (int)((unsigned)*to * 3u + (unsigned)*from + (unsigned)plus);
}

static void run_step(void *const *frame, const void *saved) {
    int *places = frame[0];
    const step *s = saved;
    compute(&places[s->to], &places[s->from], s->plus);
    ran++;
}

/* On the device the kernel gets both places and the number. */
static const ompls_item_desc items[] = {{"to", OMPLS_MAP_TO | OMPLS_MAP_FROM}, {"from", OMPLS_MAP_TO}};
static const ompls_param_desc params[] = {
    {"to", OMPLS_PARAM_ADDRESS, 0, 8}, {"from", OMPLS_PARAM_ADDRESS, 1, 8}, {"plus", OMPLS_PARAM_VALUE, 0, 4}};
static ompls_region region = {"graphs.c", 7, "compute", OMPLS_MODE_SPMD, 2, 3, 1, items, params, 0, 0, 0};

static void kernel(void **given, const ompls_launch_request *request) {
    (void)request;
    compute(*(int **)given[0], *(int **)given[1], *(int *)given[2]);
}

static void fill(const step *s, int *places, ompls_arg *args) {
    args[0] = (ompls_arg){&places[s->to], &places[s->to], sizeof(int), 0};
    args[1] = (ompls_arg){&places[s->from], &places[s->from], sizeof(int), 0};
}

static void run_target_step(void *const *frame, const void *saved) {
    const step *s = saved;
    ompls_arg args[2];
    fill(s, frame[0], args);
    ompls_graph_target(&region, args, (const void *[]){&s->plus}, NULL);
    ran++;
}

static const ompls_node host_step = {"graphs.c", 5, sizeof(step), NULL, run_step};
static const ompls_node target_step = {"graphs.c", 6, sizeof(step), &region, run_target_step};
static ompls_graph graph = {"graphs.c", 3, NULL};

static unsigned next(unsigned *seed) {
    return *seed = *seed * 1103515245u + 12345u, *seed >> 16;
}

/* One encounter; which = 0: host tasks, 1: target regions, 2: both.  True: it was a replay. */
static bool meet(ompls_graph *of, int64_t id, unsigned seed, int which, int *places, int asked, int reset) {
    void *frame[] = {places};
    ompls_recording *recording;
    uint64_t group = ompls_taskgroup_begin();
    if (ompls_graph_begin(of, id, asked, reset, frame, &recording)) return true;
#pragma omp taskgroup
    for (int i = 0; i < TASKS; i++) {
        step s = {(int)(next(&seed) % PLACES), (int)(next(&seed) % PLACES), i};
        int *to = &places[s.to], *from = &places[s.from];
        ompls_depend depend[] = {{from, OMPLS_DEPEND_IN}, {to, OMPLS_DEPEND_INOUT}};
        if (next(&seed) % 16 == 0) ompls_graph_taskwait(recording);
        if (next(&seed) % 16 == 0) {
            ompls_graph_task(recording, NULL, NULL, 1, &(ompls_depend){NULL, OMPLS_DEPEND_INOUT});
            ompls_taskwait();
#pragma omp taskwait
        }
        if (which == 0 || (which == 2 && i % 2 == 0)) {
            ompls_graph_task(recording, &host_step, &s, 2, depend);
#pragma omp task depend(in : *from) depend(inout : *to)
            compute(to, from, s.plus);
        } else {
            ompls_arg args[2];
            fill(&s, places, args);
            MOCK_CHECK(ompls_graph_nowait(recording, &target_step, &s, args, (const void *[]){&s.plus}, NULL, 2, depend) == 1);
        }
    }
    ompls_taskgroup_end(group);
    ompls_graph_end(recording);
    return false;
}

static void in_order(unsigned seed, int *places) {
    for (int i = 0; i < TASKS; i++) {
        step s = {(int)(next(&seed) % PLACES), (int)(next(&seed) % PLACES), i};
        next(&seed), next(&seed);
        compute(&places[s.to], &places[s.from], s.plus);
    }
}

static void expect(const int *is, const int *wanted) {
    MOCK_CHECK(memcmp(is, wanted, PLACES * sizeof *is) == 0);
}

/* Recorded, and replayed three times on places that are somewhere else each time. */
static void random_graphs(int which) {
    for (unsigned seed = 1; seed <= GRAPHS; seed++) {
        for (int k = 0; k < 4; k++) {
            int wanted[PLACES] = {k, 1, 2}, room[PLACES * 4] = {0}, *places = &room[k * PLACES];
            memcpy(places, wanted, sizeof wanted);
            in_order(seed, wanted);
            ran = 0;
            MOCK_CHECK(meet(&graph, seed, seed, which, places, 1, 0) == (k > 0));
            MOCK_CHECK(ran == (k > 0 ? TASKS : 0));
            expect(places, wanted);
        }
    }
}

/* Where the data is present, a replay of target regions is one command, or one that is sent for each. */
static void one_command(void) {
    static const ompls_item_desc whole[] = {{"places", OMPLS_MAP_TO | OMPLS_MAP_FROM}};
    static ompls_region data = {"graphs.c", 9, 0, OMPLS_MODE_SPMD, 1, 0, 0, whole, 0, 0, 0, 0};
    int places[PLACES] = {1, 2, 3}, wanted[PLACES] = {1, 2, 3};
    ompls_arg args[] = {{places, places, sizeof places, 0}};
    struct ompls_env *env = ompls_data_begin(&data, OMPLS_DEVICE_DEFAULT, args);
    meet(&graph, 0, 1, 1, places, 1, 0);
    mock_reset();
    meet(&graph, 0, 1, 1, places, 1, 0);
    MOCK_CHECK(mock_batches + mock_sent == (mock_batches == 1 ? 1 : TASKS) && mock_waits == 0);
    MOCK_CHECK(mock_launches == TASKS && mock_in == 0 && mock_out == 0 && mock_allocs == 0);
    ompls_data_end(&data, env);
    for (int k = 0; k < 2; k++) in_order(1, wanted);
    expect(places, wanted);
}

static void host_tasks(void) { random_graphs(0); }
static void targets(void) { random_graphs(1); }
static void both(void) { random_graphs(2); }

static void in_a_team(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int which = 0; which < 3; which++) {
        graph.records = NULL;
        random_graphs(which);
    }
}

/* A task with `depend` that is made outside may be what the graph's tasks depend on: nothing is replayed. */
static void outside(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        int places[PLACES] = {0};
        MOCK_CHECK(!meet(&graph, 0, 1, 0, places, 1, 0) && meet(&graph, 0, 1, 0, places, 1, 0));
        ompls_wait_host_task(1, &(ompls_depend){places, OMPLS_DEPEND_OUT});
#pragma omp task depend(out : places[0])
        places[0] = 1;
        MOCK_CHECK(!meet(&graph, 0, 1, 0, places, 1, 0));
    }
}

static void clauses(void) {
    int places[PLACES] = {0}, wanted[PLACES] = {0};
    bool replayed[] = {
        meet(&graph, 0, 1, 0, places, 0, 0), /* if(0): neither recorded nor replayed */
        meet(&graph, 0, 1, 0, places, 1, 0), meet(&graph, 0, 1, 0, places, 1, 0), meet(&graph, 0, 1, 0, places, 0, 0),
        meet(&graph, 7, 1, 0, places, 1, 0), /* another graph_id */
        meet(&graph, 0, 1, 0, places, 1, 1), /* graph_reset */
        meet(&graph, 0, 1, 0, places, 1, 0), meet(&graph, 7, 1, 0, places, 1, 0)};
    static const bool expected[] = {false, false, true, false, false, false, true, true};
    MOCK_CHECK(memcmp(replayed, expected, sizeof expected) == 0);
    for (int i = 0; i < 8; i++) in_order(1, wanted);
    expect(places, wanted);
}

/* What was deferred before is done before its tasks run. */
static void deferred_before(void) {
    int places[PLACES] = {1, 2, 3}, wanted[PLACES] = {1, 2, 3};
    for (int k = 0; k < 3; k++) {
        step s = {0, 1, k};
        ompls_arg args[2];
        fill(&s, places, args);
        MOCK_CHECK(ompls_target_nowait(&region, OMPLS_DEVICE_DEFAULT, args, (const void *[]){&s.plus}, NULL, 2,
                                       (ompls_depend[]){{&places[0], OMPLS_DEPEND_OUT}, {&places[1], OMPLS_DEPEND_IN}}) == 1);
        MOCK_CHECK(meet(&graph, 0, 5, 0, places, 1, 0) == (k > 0));
        compute(&wanted[0], &wanted[1], k);
        in_order(5, wanted);
    }
    expect(places, wanted);
}

/* A task meets the graph that it belongs to. */
static ompls_graph deep = {"graphs.c", 4, NULL};
static int depth, most;
static void descend(void);

static void run_descend(void *const *frame, const void *saved) {
    (void)frame, (void)saved;
    descend();
}

static void descend(void) {
    static const ompls_node node = {"graphs.c", 8, 0, NULL, run_descend};
    ompls_recording *recording;
    if (++depth > most) most = depth;
    if (depth < 4 && !ompls_graph_begin(&deep, 0, 1, 0, NULL, &recording)) {
        ompls_graph_task(recording, &node, NULL, 0, NULL);
        descend();
        ompls_graph_end(recording);
    }
    depth--;
}

static void recursion(void) {
    for (int k = 0; k < 3; k++) {
        most = 0;
        descend();
        MOCK_CHECK(depth == 0 && most == 4);
    }
}

/* Threads that record, replay and reset the same graphs. */
static void *thread(void *argument) {
    unsigned mine = (unsigned)(uintptr_t)argument;
    for (unsigned k = 0; k < 60; k++) {
        int places[PLACES] = {3, 2, 1}, wanted[PLACES] = {3, 2, 1};
        in_order(k % 3 + 1, wanted);
        meet(&graph, k % 3, k % 3 + 1, 2, places, 1, (k + mine) % 7 == 0);
        expect(places, wanted);
    }
    return NULL;
}

static void threads(void) {
    pthread_t made[4];
    for (uintptr_t i = 0; i < 4; i++) pthread_create(&made[i], NULL, thread, (void *)i);
    for (int i = 0; i < 4; i++) pthread_join(made[i], NULL);
}

/* OMPLS_GRAPH_CHECK=1. */
static void checked(void) {
    int places[PLACES] = {0}, wanted[PLACES] = {0};
    for (int k = 0; k < 3; k++) {
        MOCK_CHECK(!meet(&graph, 0, 1, 2, places, 1, 0));
        in_order(1, wanted);
    }
    expect(places, wanted);
}

static void other_task(void) {
    int places[PLACES] = {0};
    meet(&graph, 0, 1, 0, places, 1, 0);
    meet(&graph, 0, 1, 2, places, 1, 0);
}

static void other_value(void) {
    int places[PLACES] = {0};
    meet(&graph, 0, 1, 0, places, 1, 0);
    meet(&graph, 0, 2, 0, places, 1, 0);
}

static void error(void) {
    int places[PLACES] = {0};
    meet(&graph, 0, 1, 1, places, 1, 0);
    mock_launch_error = (ompls_error){.reason = "the cable is out", .hint = "ask the test"};
    meet(&graph, 0, 1, 1, places, 1, 0);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"host", host_tasks}, {"targets", targets}, {"both", both}, {"one", one_command}, {"team", in_a_team}, {"outside", outside}, {"clauses", clauses},
                 {"before", deferred_before}, {"recursion", recursion}, {"threads", threads}, {"checked", checked}, {"other-task", other_task},
                 {"other-value", other_value}, {"error", error}};
    mock_add_kernel("compute", kernel);
    for (int k = 1; k < argc; k++) {
        graph.records = NULL;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            if (strcmp(cases[i].name, argv[k]) == 0) cases[i].run();
    }
    return 0;
}
