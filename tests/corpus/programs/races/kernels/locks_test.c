#include <omp.h>
#include <stdio.h>
static omp_lock_t lk;
static int busy, done[16];
int main(void)
{
    omp_init_lock(&lk);
    #pragma omp parallel num_threads(4)
    {
        int me = omp_get_thread_num();
        while (!omp_test_lock(&lk)) //@ good
            ; //@ good
        omp_test_lock(&lk); //@ bad // or-here
        busy++; // expect: race
        done[me] = 1;
        omp_unset_lock(&lk);
    }
    omp_destroy_lock(&lk);
    printf("%d\n", busy);
    return 0;
}
