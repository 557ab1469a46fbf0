// The lock is released before the second half of the update.
#include <stdio.h>
#include <omp.h>

struct stats { int n; double sum; };

int main(void)
{
    omp_lock_t l;
    struct stats s = { 0, 0.0 };
    omp_init_lock(&l);
#pragma omp parallel for
    for (int i = 0; i < 50; i++) {
        omp_set_lock(&l);
        s.n++;
        omp_unset_lock(&l); //@ bad
        s.sum += i; // expect: race
        omp_unset_lock(&l); //@ good
    }
    omp_destroy_lock(&l);
    return s.n != 50 || s.sum != 1225.0;
}
