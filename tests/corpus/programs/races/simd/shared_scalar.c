// A temporary in a simd loop.
#include <stdio.h>
#define N 60

int main(void)
{
    float a[N], t = 0.0f;
    for (int i = 0; i < N; i++)
        a[i] = (float)i;
#pragma omp parallel for simd //@ bad
#pragma omp parallel for simd private(t) //@ good
    for (int i = 0; i < N; i++) {
        t = a[i] * a[i]; // expect: race
        a[i] = t + t; // or-here
    }
    printf("%g\n", t);
    return a[3] != 18.0f;
}
