#include <stdio.h>
#define N 1000
static float a[N], b[N];
int main(void)
{
    float t, last = 0;
    #pragma omp simd private(t)
    for (int i = 0; i < N; i++) {
        t = a[i] * 2;
        b[i] = t + i; // or-here
    }
    #pragma omp parallel for simd lastprivate(last) //@ good
    #pragma omp parallel for simd //@ bad // or-here
    for (int i = 0; i < N; i++) {
        last = b[i]; // expect: race [bad]
        a[i] = last * last; // or-here
    }
    printf("%g\n", last);
    return 0;
}
