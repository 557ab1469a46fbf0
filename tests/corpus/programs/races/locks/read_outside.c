// The write is under the lock, the read is not.
#include <stdio.h>
#include <omp.h>

int main(void)
{
    omp_lock_t lock;
    int best = -1, seen[100];
    omp_init_lock(&lock);
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        omp_set_lock(&lock);
        if (i > best)
            best = i; // expect: race
        seen[i] = best; //@ good
        omp_unset_lock(&lock);
        seen[i] = best; //@ bad // or-here
    }
    omp_destroy_lock(&lock);
    return best != 99 || seen[0] < 0;
}
