#include <stdio.h>
#define N 1000
static float a[N + 16];
int main(void)
{
    for (int i = 0; i < N + 16; i++)
        a[i] = i;
    #pragma omp simd safelen(8) //@ good
    #pragma omp simd safelen(16) //@ bad // or-here
    #pragma omp simd //@ bad2 // or-here
    for (int i = 8; i < N; i++)
        a[i] = a[i - 8] * 0.5f + 1; // expect: race
    float s = 0;
    #pragma omp simd reduction(+: s)
    for (int i = 0; i < N; i++)
        s += a[i];
    printf("%g\n", s);
    return 0;
}
