#include <omp.h>
#include <stdio.h>
int main(void)
{
    int n = 0, limit = 0;
    int out[64] = {0};
    #pragma omp parallel num_threads(4) shared(n, limit)
    {
        #pragma omp master
        n = omp_get_num_threads(); // expect: race [bad]
        #pragma omp barrier //@ good bad2
        #pragma omp single nowait //@ bad2
        limit = n * 2; //@ bad2 // expect: race [bad2]
        #pragma omp single //@ good bad
        limit = n * 2; //@ good bad // or-here
        out[omp_get_thread_num()] = limit + n; // or-here
    }
    printf("%d\n", out[0]);
    return 0;
}
