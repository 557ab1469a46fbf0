/* graph_order.c -- which recorded task waits for which: the dependence table of a recording (OpenMP 5.2 section 15.9.5).

   The table of deferred constructs (tasks.c) forgets what has finished, so the edges that it finds depend on how fast tasks
   are.  This one forgets nothing.  For an address it has the last two groups of tasks that may run side by side: a task that
   joins the newest group waits for the one before; any other begins a group and waits for the newest.  `mutexinoutset` is a
   writer: it excludes the others, in the order of the program. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t *task;
    uint32_t count, room;
} group;

typedef struct {
    const void *address; /* 0: free */
    uint64_t kind;       /* of the newest */
    group newest, older;
} place;

typedef struct {
    uint32_t before, after;
} edge;

struct ompls_order {
    uint32_t count;
    uint32_t *marked; /* of each task: one more than the last that it is known to be before; 0: nobody waits for it */
    uint32_t room;
    edge *edges;
    uint32_t nedges, edges_room;
    place *places; /* open addressing; a power of two */
    uint32_t nplaces, places_room;
    uint32_t all;  /* the last that names omp_all_memory */
    uint32_t wait; /* the last ompls_order_wait */
};

ompls_order *ompls_order_new(void) {
    ompls_order *order = ompls_graph_memory(NULL, sizeof *order);
    *order = (ompls_order){.all = OMPLS_NO_NODE, .wait = OMPLS_NO_NODE};
    return order;
}

static void forget_places(ompls_order *order) {
    for (uint32_t i = 0; i < order->places_room; i++) {
        free(order->places[i].newest.task);
        free(order->places[i].older.task);
    }
    free(order->places);
    order->places = NULL;
    order->nplaces = order->places_room = 0;
}

void ompls_order_free(ompls_order *order) {
    forget_places(order);
    free(order->marked);
    free(order->edges);
    free(order);
}

static uint32_t begin_task(ompls_order *order) {
    if (order->count == order->room) order->marked = ompls_graph_memory(order->marked, (order->room = order->room * 2 + 64) * sizeof *order->marked);
    order->marked[order->count] = 0;
    return order->count++;
}

static void wait_for(ompls_order *order, uint32_t after, uint32_t before) {
    if (before == OMPLS_NO_NODE || before == after || order->marked[before] == after + 1) return;
    order->marked[before] = after + 1;
    if (order->nedges == order->edges_room)
        order->edges = ompls_graph_memory(order->edges, (order->edges_room = order->edges_room * 2 + 64) * sizeof *order->edges);
    order->edges[order->nedges++] = (edge){before, after};
}

static void wait_for_group(ompls_order *order, uint32_t after, const group *of) {
    for (uint32_t i = 0; i < of->count; i++) wait_for(order, after, of->task[i]);
}

/* All that nobody waits for yet: the others are before those. */
static void wait_for_all(ompls_order *order, uint32_t after) {
    for (uint32_t i = 0; i < after; i++)
        if (order->marked[i] == 0) wait_for(order, after, i);
}

static place *place_of(place *places, uint32_t room, const void *address) {
    uint64_t hash = (uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u;
    uint32_t at = (uint32_t)(hash >> 32) & (room - 1);
    while (places[at].address != NULL && places[at].address != address) at = (at + 1) & (room - 1);
    return &places[at];
}

static place *find_place(ompls_order *order, const void *address) {
    if (order->nplaces * 2 >= order->places_room) {
        uint32_t room = order->places_room == 0 ? 64 : order->places_room * 2;
        place *grown = ompls_graph_memory(NULL, room * sizeof *grown);
        memset(grown, 0, room * sizeof *grown);
        for (uint32_t i = 0; i < order->places_room; i++)
            if (order->places[i].address != NULL) *place_of(grown, room, order->places[i].address) = order->places[i];
        free(order->places);
        order->places = grown;
        order->places_room = room;
    }
    place *found = place_of(order->places, order->places_room, address);
    if (found->address == NULL) {
        found->address = address;
        order->nplaces++;
    }
    return found;
}

static void join(group *to, uint32_t task) {
    if (to->count > 0 && to->task[to->count - 1] == task) return;
    if (to->count == to->room) to->task = ompls_graph_memory(to->task, (to->room = to->room * 2 + 4) * sizeof *to->task);
    to->task[to->count++] = task;
}

static void depend_on(ompls_order *order, uint32_t task, ompls_depend on) {
    if (on.kind == OMPLS_DEPEND_OBJECT) on = *(const ompls_depend *)on.address;
    if (on.address == NULL) { /* omp_all_memory */
        wait_for_all(order, task);
        forget_places(order);
        order->all = task;
        return;
    }
    bool together = on.kind == OMPLS_DEPEND_IN || on.kind == OMPLS_DEPEND_INOUTSET;
    place *at = find_place(order, on.address);
    if (!together || at->newest.count == 0 || at->kind != on.kind) {
        group free_one = at->older;
        at->older = at->newest;
        at->newest = free_one;
        at->newest.count = 0;
        at->kind = on.kind;
    }
    if (at->older.count == 0) wait_for(order, task, order->all);
    wait_for_group(order, task, &at->older);
    join(&at->newest, task);
}

void ompls_order_task(ompls_order *order, uint32_t ndepend, const ompls_depend *depend) {
    uint32_t task = begin_task(order);
    wait_for(order, task, order->wait);
    for (uint32_t i = 0; i < ndepend; i++) depend_on(order, task, depend[i]);
}

void ompls_order_wait(ompls_order *order) {
    uint32_t task = begin_task(order);
    wait_for_all(order, task);
    order->wait = task;
}

void ompls_order_finish(const ompls_order *order, ompls_record *record) {
    ompls_recorded *tasks = record->tasks;
    record->nedges = order->nedges;
    record->successors = ompls_graph_memory(NULL, (order->nedges + 1) * sizeof *record->successors);
    for (uint32_t i = 0; i < order->nedges; i++) {
        tasks[order->edges[i].before].nsuccessors++;
        tasks[order->edges[i].after].before++;
    }
    uint32_t used = 0;
    for (uint32_t i = 0; i < record->count; i++) {
        tasks[i].first = used;
        used += tasks[i].nsuccessors;
        tasks[i].nsuccessors = 0;
    }
    for (uint32_t i = 0; i < order->nedges; i++) {
        ompls_recorded *before = &tasks[order->edges[i].before];
        record->successors[before->first + before->nsuccessors++] = order->edges[i].after;
    }
}
