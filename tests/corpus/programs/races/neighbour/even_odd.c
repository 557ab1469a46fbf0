// Even elements read their odd neighbours: disjoint, unless the step is 1.
#include <stdio.h>
#define N 128

int main(void)
{
    int a[N + 1];
    for (int i = 0; i <= N; i++)
        a[i] = i;
#pragma omp target teams distribute parallel for map(tofrom: a)
    for (int i = 0; i < N; i += 2) //@ good
    for (int i = 0; i < N; i++) //@ bad
        a[i] = a[i + 1] - 1; // expect: race
    return a[0] != 0 || a[N] != N;
}
