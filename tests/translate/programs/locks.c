/* Locks that the lanes of a warp compete for, released on whatever way leads out of the block that takes them. */
#include <omp.h>

#include "expect.h"
#define ROOM 20
#define THREADS 64

#pragma omp declare target
omp_lock_t lock, many[5];
omp_nest_lock_t nest;
static int items[ROOM], used, head;

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

static long count(void)
{
    omp_set_lock(&lock);
    long now = used;
    omp_unset_lock(&lock);
    return now;
}

static void transfer(int from, int to, int *account, int crossed)
{
    int first = from < to ? from : to, second = from < to ? to : from;
    omp_set_lock(&many[first]);
    omp_set_lock(&many[second]);
    account[from]--;
    account[to]++;
    if (crossed) {
        omp_unset_lock(&many[first]);
        omp_unset_lock(&many[second]);
    } else {
        omp_unset_lock(&many[second]);
        omp_unset_lock(&many[first]);
    }
}

static void nested(int *deep, int i)
{
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    ++*deep;
    if (i % 2) {
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
        return;
    }
    omp_unset_nest_lock(&nest);
    ++*deep;
    omp_unset_nest_lock(&nest);
}
#pragma omp end declare target

static void functions(void)
{
    int added = 0, account[5] = {0}, deep = 0;
#pragma omp target map(tofrom : added, account, deep)
    {
        omp_init_lock(&lock);
        omp_init_nest_lock(&nest);
        for (int k = 0; k < 5; k++)
            omp_init_lock(&many[k]);
        used = head = 0;
#pragma omp parallel for num_threads(THREADS) reduction(+ : added)
        for (int i = 0; i < 50; i++)
            added += add(i) && count() > 0;
#pragma omp parallel for num_threads(THREADS)
        for (int i = 0; i < 200; i++) {
            transfer(i % 5, (i + 1 + i % 3) % 5, account, i % 2);
            nested(&deep, i);
        }
    }
    EXPECT(added, ROOM);
    EXPECT(account[0] + account[1] + account[2] + account[3] + account[4], 0);
    EXPECT(deep, 300);
}

static void loops(void)
{
    int taken = 0, sum = 0, tried = 0, asked = 0, first = 0, second = 0;
#pragma omp target map(tofrom : taken, sum, tried, asked, first, second)
    {
        /* A queue: its end is seen under the lock. */
#pragma omp parallel num_threads(THREADS) reduction(+ : taken, sum)
        while (1) {
            int v;
            omp_set_lock(&lock);
            if (head == used) {
                omp_unset_lock(&lock);
                break;
            }
            v = items[head++];
            if (v < 0) {
                omp_unset_lock(&lock);
                continue;
            }
            omp_unset_lock(&lock);
            taken++;
            sum += v;
        }
#pragma omp parallel for num_threads(THREADS)
        for (int i = 0; i < 100; i++) {
            while (!omp_test_lock(&lock))
                ;
            tried++;
            omp_unset_lock(&lock);
            int done = 0;
            while (!done) {
                if (omp_test_lock(&lock)) {
                    asked++;
                    done = 1;
                    omp_unset_lock(&lock);
                }
            }
            omp_set_lock(&lock);
            if (i % 2) {
                first++;
                /* Another lock, after this one was released. */
                omp_unset_lock(&lock);
                omp_set_nest_lock(&nest);
                second++;
                omp_unset_nest_lock(&nest);
            } else
                omp_unset_lock(&lock);
        }
    }
    EXPECT(taken, ROOM);
    EXPECT(sum >= 190, 1);
    EXPECT(tried, 100);
    EXPECT(asked, 100);
    EXPECT(first, 50);
    EXPECT(second, 50);
}

int main(void)
{
    functions();
    loops();
    return failures != 0;
}
