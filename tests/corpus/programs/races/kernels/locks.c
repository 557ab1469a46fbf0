#include <omp.h>
#include <stdio.h>
#define N 1000
static long shared_sum;
static int queue[N], tail;
int main(void)
{
    omp_lock_t l, q;
    omp_init_lock(&l);
    omp_init_lock(&q);
    #pragma omp parallel for
    for (int i = 0; i < N; i++) {
        omp_set_lock(&l); //@ good bad2
        shared_sum += i; //@ good bad2
        omp_unset_lock(&l); //@ good bad2
        omp_set_lock(&l); //@ bad
        omp_unset_lock(&l); //@ bad
        shared_sum += i; //@ bad // expect: race
        if (i % 10 == 0) {
            omp_set_lock(&q); //@ good bad
            queue[tail++] = i; // expect: race [bad2]
            omp_unset_lock(&q); //@ good bad
        }
    }
    omp_destroy_lock(&l);
    omp_destroy_lock(&q);
    printf("%ld %d\n", shared_sum, tail);
    return 0;
}
