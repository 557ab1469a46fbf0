// i % 4 is the same for every fourth iteration.
#include <stdio.h>
#define N 64

int main(void)
{
    long part[N] = { 0 }, sum = 0;
#pragma omp target parallel for map(tofrom: part)
    for (int i = 0; i < N; i++)
        part[i % 4] += i; //@ bad // expect: race
        part[i] += i; //@ good
    for (int i = 0; i < N; i++)
        sum += part[i];
    return sum != N * (N - 1) / 2;
}
