// Early returns under a lock: every path gives it back.
#include <stdio.h>
#include <omp.h>
#define ROOM 20

static omp_lock_t lock;
static int items[ROOM], used;

static int add(int v)
{
    omp_set_lock(&lock);
    if (used == ROOM) {
        omp_unset_lock(&lock);
        return 0;
    }
    items[used] = v;
    used++;
    omp_unset_lock(&lock);
    return 1;
}

int main(void)
{
    int added = 0;
    omp_init_lock(&lock);
#pragma omp parallel for reduction(+: added)
    for (int i = 0; i < 50; i++)
        added += add(i);
    omp_destroy_lock(&lock);
    return added != ROOM || used != ROOM || items[0] < 0;
}
