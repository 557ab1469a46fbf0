#include <stdio.h>
#define N 1000
int main(void)
{
    static double a[N];
    #pragma omp target data map(tofrom: a)
    {
        #pragma omp target teams distribute parallel for nowait
        for (int i = 0; i < 600; i++) a[i] += 1;
        #pragma omp target teams distribute parallel for nowait // or-here
        for (int i = 600; i < N; i++) a[i] += 2; //@ good
        for (int i = 400; i < N; i++) a[i] += 2; //@ bad // expect: race
        #pragma omp taskwait
    }
    printf("%g\n", a[500]);
    return 0;
}
