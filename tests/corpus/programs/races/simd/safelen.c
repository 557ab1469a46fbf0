// The distance is four; safelen says what may run together.
#include <stdio.h>
#define N 200

int main(void)
{
    float a[N];
    for (int i = 0; i < N; i++)
        a[i] = 1.0f;
#pragma omp simd //@ bad // or-here
#pragma omp simd safelen(8) //@ bad2 // or-here
#pragma omp simd safelen(4) //@ good
    for (int i = 4; i < N; i++)
        a[i] = a[i - 4] + 1.0f; // expect: race
    return a[199] != 50.0f;
}
