#include <omp.h>
#include <stdio.h>
#define N 64
static int a[N], b[N];
int main(void)
{
    #pragma omp parallel num_threads(4)
    {
        int t = omp_get_thread_num();
        int lo = t * (N / 4), hi = lo + N / 4;
        for (int i = lo; i < hi; i++)
            a[i] = i; // or-here
        #pragma omp barrier //@ good bad2
        for (int i = lo; i < hi; i++)
            b[i] = a[i] + a[N - 1 - i]; // expect: race [bad]
            
        if (t == 0)
            b[N / 2] += 1; //@ bad2 // expect: race [bad2]
            b[0] += 1; //@ good bad
    }
    printf("%d\n", b[5]);
    return 0;
}
