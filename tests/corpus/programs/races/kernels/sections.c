#include <stdio.h>
#define N 1000
static int a[N];
int main(void)
{
    int lo = 0, hi = 0, sum = 0, i; // or-here
    for (i = 0; i < N; i++)
        a[i] = i;
    #pragma omp parallel sections private(i) reduction(+: sum) //@ good
    #pragma omp parallel sections reduction(+: sum) //@ bad // or-here
    #pragma omp parallel sections private(i) //@ bad2 // or-here
    {
        #pragma omp section
        for (i = 0; i < N / 2; i++) // expect: race [bad]
            lo += a[i], sum++; // expect: race [bad2]
        #pragma omp section
        for (i = N / 2; i < N; i++) // or-here
            hi += a[i], sum++; // or-here
    }
    printf("%d %d %d\n", lo, hi, sum);
    return 0;
}
