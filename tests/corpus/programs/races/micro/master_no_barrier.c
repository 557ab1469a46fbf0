#include <omp.h>
#include <stdio.h>
int main(void)
{
    int n, r[8];
    #pragma omp parallel num_threads(8)
    {
        #pragma omp masked
        n = 42; // or-here
        #pragma omp barrier //@ good
        r[omp_get_thread_num()] = n + 1; // expect: race
    }
    printf("%d\n", r[0]);
    return 0;
}
