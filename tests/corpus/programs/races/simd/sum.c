// A sum in a simd loop of a kernel.
#include <stdio.h>
#define N 128

int main(void)
{
    double x[N], s = 0.0;
    for (int i = 0; i < N; i++)
        x[i] = 0.5;
#pragma omp target map(to: x) map(tofrom: s)
#pragma omp simd //@ bad
#pragma omp simd reduction(+: s) //@ good
    for (int i = 0; i < N; i++)
        s += x[i]; // expect: race
    return s != 64.0;
}
