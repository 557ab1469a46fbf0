// Lanes that read what their neighbour lane writes.
#include <stdio.h>
#define N 99

int main(void)
{
    int a[N + 1];
    for (int i = 0; i <= N; i++)
        a[i] = i;
#pragma omp target teams distribute parallel for simd map(tofrom: a)
    for (int i = 1; i < N; i++)
        a[i] = a[i - 1] + 1; //@ bad // expect: race
        a[i] = a[i] + 1; //@ good
    return a[1] != 1 && a[1] != 2;
}
