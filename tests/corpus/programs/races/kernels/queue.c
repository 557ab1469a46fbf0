#include <omp.h>
#include <stdio.h>
#define CAP 1024
typedef struct { int items[CAP]; int head, tail; omp_lock_t lock; } queue;
static queue q;
static void put(queue *p, int v)
{
    omp_set_lock(&p->lock); //@ good bad2
    p->items[p->tail % CAP] = v;  // expect: race [bad]
    p->tail++; // or-here
    omp_unset_lock(&p->lock); //@ good bad2
}
static int get(queue *p, int *v)
{
    int ok = 0;
    omp_set_lock(&p->lock); //@ good bad
    if (p->head < p->tail) { // or-here
        *v = p->items[p->head % CAP]; // or-here
        p->head++; // expect: race [bad2]
        ok = 1;
    }
    omp_unset_lock(&p->lock); //@ good bad
    return ok;
}
int main(void)
{
    int sum = 0;
    omp_init_lock(&q.lock);
    #pragma omp parallel for
    for (int i = 0; i < 500; i++)
        put(&q, i);
    #pragma omp parallel reduction(+: sum)
    {
        int v;
        while (get(&q, &v))
            sum += v;
    }
    omp_destroy_lock(&q.lock);
    printf("%d\n", sum);
    return 0;
}
