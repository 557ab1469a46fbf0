// Each branch takes a lock of its own.
#include <stdio.h>
#include <omp.h>

int main(void)
{
    omp_lock_t a, b;
    int x = 0;
    omp_init_lock(&a);
    omp_init_lock(&b);
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() % 2) {
            omp_set_lock(&a);
            x++; // expect: race
            omp_unset_lock(&a);
        } else {
            omp_set_lock(&b); //@ bad
            omp_set_lock(&a); //@ good
            x++; // or-here
            omp_unset_lock(&b); //@ bad
            omp_unset_lock(&a); //@ good
        }
    }
    omp_destroy_lock(&a);
    omp_destroy_lock(&b);
    return x < 1;
}
