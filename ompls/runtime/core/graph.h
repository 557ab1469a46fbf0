/* graph.h -- task graphs (OpenMP 6.0 section 14.3): what a `taskgraph` records (graph.c), which task waits for which in it
   (graph_order.c), and how it is run again (graph_replay.c).

   A record never changes once it is published, so any number of threads can replay it; each replay has counters of its own.
   It stays while somebody replays it, also when it is reset meanwhile. */
#ifndef OMPLS_GRAPH_H
#define OMPLS_GRAPH_H
#include "core.h"

enum { OMPLS_NO_NODE = UINT32_MAX };

/* A task, or (`what` is 0) a place where tasks meet that is no task itself. */
typedef struct {
    const ompls_node *what;
    void *saved;
    uint32_t before;            /* it waits for so many */
    uint32_t first, nsuccessors; /* in the record's list */
} ompls_recorded;

typedef struct ompls_record {
    struct ompls_record *next; /* of its construct */
    int64_t id;
    uint32_t references;
    uint32_t count, nedges;
    bool on_device; /* some task is a target region */
    bool on_host;   /* some is not */
    ompls_recorded *tasks; /* in the order in which they were met, so each after those that it waits for */
    uint32_t *successors;
} ompls_record;

/* graph_order.c.  The tasks are numbered as they come. */
typedef struct ompls_order ompls_order;
ompls_order *ompls_order_new(void);
void ompls_order_free(ompls_order *order);
void ompls_order_task(ompls_order *order, uint32_t ndepend, const ompls_depend *depend);
void ompls_order_wait(ompls_order *order); /* a number, too: it is after all before it, and all that come are after it */
void ompls_order_finish(const ompls_order *order, ompls_record *record); /* its edges */

/* graph_batch.c: target regions whose data is present, one command for as many of them as follow each other. */
typedef struct ompls_batch ompls_batch;
bool ompls_batch_possible(const ompls_device *device);
ompls_batch *ompls_batch_new(ompls_device *device);
void ompls_batch_add(ompls_batch *batch, ompls_region *region, const ompls_arg *args, const void *const *values, const ompls_launch *asked);
void ompls_batch_end(ompls_batch *batch); /* all of them are done */

/* graph_replay.c: on this device the target regions.  Returns when all is done. */
void ompls_replay(const ompls_record *record, void *const *frame, ompls_device *device);

void *ompls_graph_memory(void *memory, size_t size); /* realloc that does not fail */
#endif
