// A nestable lock, a lock in a struct, test_lock in a loop.
#include <stdio.h>
#include <omp.h>

struct queue { omp_lock_t lock; int items[100]; int used; };

static void put(struct queue *q, int v)
{
    omp_set_lock(&q->lock);
    q->items[q->used++] = v;
    omp_unset_lock(&q->lock);
}

int main(void)
{
    struct queue q;
    omp_nest_lock_t nest;
    int depth = 0, tries = 0;
    q.used = 0;
    omp_init_lock(&q.lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel for
    for (int i = 0; i < 50; i++) {
        put(&q, i);
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        depth++;
        omp_unset_nest_lock(&nest);
        depth++;
        omp_unset_nest_lock(&nest);
        while (!omp_test_lock(&q.lock))
            ;
        tries++;
        omp_unset_lock(&q.lock);
    }
    omp_destroy_lock(&q.lock);
    omp_destroy_nest_lock(&nest);
    return q.used != 50 || depth != 100 || tries != 50;
}
