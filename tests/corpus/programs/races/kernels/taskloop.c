#include <stdio.h>
#define N 1000
static int a[N];
int main(void)
{
    int sum = 0;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp taskloop //@ good bad2
        #pragma omp taskloop nogroup //@ bad // or-here
        for (int i = 0; i < N; i++)
            a[i] = i; // or-here
        #pragma omp taskloop reduction(+: sum) //@ good bad
        #pragma omp taskloop shared(sum) //@ bad2 // or-here
        for (int i = 0; i < N; i++)
            sum += a[i]; // expect: race
    }
    printf("%d\n", sum);
    return 0;
}
