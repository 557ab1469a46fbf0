#include <stdio.h>
#define N 640
int main(void)
{
    static float a[N];
    for (int i = 0; i < N; i++) a[i] = i;
    #pragma omp simd safelen(8) //@ bad // or-here
    #pragma omp simd safelen(4) //@ good
    for (int i = 4; i < N; i++)
        a[i] = a[i - 4] * 0.5f + a[i]; // expect: race
    printf("%g\n", a[40]);
    return 0;
}
