// Each thread writes its own element, then reads its neighbour's.
#include <stdio.h>
#include <omp.h>
#define T 4

int main(void)
{
    int mine[T + 1] = { 0 }, next[T] = { 0 };
    omp_set_dynamic(0);
#pragma omp parallel num_threads(T)
    {
        int t = omp_get_thread_num();
        mine[t] = 10 * t; // expect: race
#pragma omp barrier //@ good
        next[t] = mine[t + 1]; //@ bad good // or-here
        next[t] = mine[t] + 10; //@ good2
    }
    return next[0] != 10;
}
