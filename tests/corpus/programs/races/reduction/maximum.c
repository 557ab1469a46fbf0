// A maximum by comparison.
#include <stdio.h>
#define N 333

int main(void)
{
    int v[N], top = 0;
    for (int i = 0; i < N; i++)
        v[i] = (i * 101) % N;
#pragma omp target teams distribute parallel for map(to: v) map(tofrom: top) //@ bad
#pragma omp target teams distribute parallel for map(to: v) reduction(max: top) //@ good
    for (int i = 0; i < N; i++)
        if (v[i] > top) // or-here
            top = v[i]; // expect: race
    return top != N - 1;
}
