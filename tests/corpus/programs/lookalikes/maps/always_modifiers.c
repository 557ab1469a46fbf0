// always in both directions inside of a region that keeps the data.
#include <stdio.h>
#define N 14

int main(void)
{
    int v[N] = { 0 }, total = 0;
#pragma omp target data map(alloc: v)
    for (int round = 1; round <= 3; round++) {
        for (int i = 0; i < N; i++)
            v[i] = round;
#pragma omp target map(always, tofrom: v)
        for (int i = 0; i < N; i++)
            v[i] *= 10;
        total += v[N - 1];
    }
    return total != 60;
}
