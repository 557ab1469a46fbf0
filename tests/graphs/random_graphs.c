/* Fifty random task graphs, each met four times: recorded once, then replayed, with other storage each time.

   What a `taskgraph` makes of it is what the same tasks make in a `taskgroup`.  A task is of the host or of the device, depends on
   two places, and changes one in a way whose order shows. */
#include <stdio.h>
#include <string.h>

enum { PLACES = 6, TASKS = 30, GRAPHS = 50, TIMES = 4 };

#define NEXT(state) (state = state * 1103515245u + 12345u, (state) >> 16)

#define ADD p[to] = p[to] * 3 + p[from] + i + extra;
#define SET { p[to] = i; if (i == 0) met = 1; }
#define HOST_TASK _Pragma("omp task depend(in: p[from]) depend(inout: p[to])") ADD
#define OTHER_TASK _Pragma("omp task depend(out: p[to]) shared(met)") SET
#define SMALL_TARGET _Pragma("omp target nowait depend(inout: p[to]) map(tofrom: p[to:1])") p[to] = p[to] * 5 + i + extra;
#define TARGET _Pragma("omp target nowait depend(in: p[from]) depend(inout: p[to]) map(tofrom: p[to:1], p[from:1])") ADD

#define GRAPH(FIRST, SECOND, THIRD) \
    for (unsigned i = 0, state = seed; i < TASKS; i++) { \
        unsigned to = NEXT(state) % PLACES, from = (to + 1 + NEXT(state) % (PLACES - 1)) % PLACES, kind = NEXT(state) % 8; \
        if (kind == 0) { _Pragma("omp taskwait") } \
        if (kind < 4) { FIRST } \
        else if (kind < 7) { SECOND } \
        else { THIRD } \
    }

static unsigned recorded(unsigned *p, unsigned seed, unsigned extra)
{
    unsigned met = 0;
#pragma omp taskgraph graph_id(seed)
    { GRAPH(HOST_TASK, SMALL_TARGET, OTHER_TASK) }
    return met;
}

static unsigned grouped(unsigned *p, unsigned seed, unsigned extra)
{
    unsigned met = 0;
#pragma omp taskgroup
    { GRAPH(HOST_TASK, SMALL_TARGET, OTHER_TASK) }
    return met;
}

static unsigned in_order(unsigned *p, unsigned seed, unsigned extra)
{
    unsigned met = 0;
    GRAPH(ADD, p[to] = p[to] * 5 + i + extra;, SET)
    return met;
}

static unsigned recorded_there(unsigned *p, unsigned seed, unsigned extra)
{
#pragma omp target data map(tofrom: p[:PLACES])
#pragma omp taskgraph graph_id(seed)
    { GRAPH(TARGET, SMALL_TARGET, TARGET) }
    return 0;
}

static unsigned in_order_there(unsigned *p, unsigned seed, unsigned extra)
{
    GRAPH(ADD, p[to] = p[to] * 5 + i + extra;, ADD)
    return 0;
}

typedef unsigned graph(unsigned *p, unsigned seed, unsigned extra);

static int compare(graph *first, graph *second)
{
    int wrong = 0;
    for (unsigned seed = 1; seed <= GRAPHS; seed++)
        for (unsigned k = 0; k < TIMES; k++) {
            unsigned is[TIMES * PLACES] = {0}, wanted[PLACES] = {k, seed};
            unsigned *p = is + k * PLACES;
            memcpy(p, wanted, sizeof wanted);
            unsigned met = first(p, seed, k);
            wrong += second(wanted, seed, k) != met || memcmp(p, wanted, sizeof wanted) != 0;
        }
    return wrong;
}

int main(void)
{
    int wrong = 0, there = 0, in_team = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    in_team = compare(recorded, in_order) + compare(recorded_there, in_order_there);
    wrong = compare(recorded, grouped);
    there = compare(recorded_there, in_order_there);
    printf("%d, %d and %d of %d are wrong\n", wrong, there, in_team, GRAPHS * TIMES);
    return wrong + there + in_team != 0;
}
