// The host reads a part that the device does not write.
#include <stdio.h>
#define N 40

int main(void)
{
    int v[N], sum = 0;
    for (int i = 0; i < N; i++)
        v[i] = 1;
#pragma omp target data map(tofrom: v)
    {
#pragma omp target
        for (int i = 0; i < N / 2; i++)
            v[i] = 5;
        for (int i = N / 2; i < N; i++)
            sum += v[i];
    }
    return sum != N / 2 || v[0] != 5;
}
