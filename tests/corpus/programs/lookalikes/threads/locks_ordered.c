// A lock for each account, taken in the order of the numbers.
#include <stdio.h>
#include <omp.h>
#define A 5

static int money[A];
static omp_lock_t lock[A];

static void transfer(int from, int to, int sum)
{
    int lo = from < to ? from : to, hi = from < to ? to : from;
    omp_set_lock(&lock[lo]);
    omp_set_lock(&lock[hi]);
    money[from] -= sum;
    money[to] += sum;
    omp_unset_lock(&lock[hi]);
    omp_unset_lock(&lock[lo]);
}

int main(void)
{
    int all = 0;
    for (int i = 0; i < A; i++)
        omp_init_lock(&lock[i]);
#pragma omp parallel for
    for (int i = 0; i < 100; i++)
        transfer(i % A, (i + 1 + i % 3) % A, i);
    for (int i = 0; i < A; i++) {
        all += money[i];
        omp_destroy_lock(&lock[i]);
    }
    return all != 0;
}
