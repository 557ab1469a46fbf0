#include <stdio.h>
#define N 1000
int main(void)
{
    static double a[N];
    double s = 0;
    #pragma omp target data map(to: a) // or-here
    {
        #pragma omp target teams distribute parallel for nowait depend(out: a)
        for (int i = 0; i < N; i++) a[i] = i;
        #pragma omp target update from(a) nowait depend(in: a)
        #pragma omp taskwait //@ good
        for (int i = 0; i < N; i++) s += a[i]; // expect: race
    }
    printf("%g\n", s);
    return 0;
}
