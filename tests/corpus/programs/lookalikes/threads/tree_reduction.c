// Halving strides: the two elements of a pair belong to one iteration.
#include <stdio.h>
#define N 256

int main(void)
{
    long v[N];
    for (int i = 0; i < N; i++)
        v[i] = i;
#pragma omp target data map(tofrom: v)
    for (int half = N / 2; half > 0; half /= 2) {
#pragma omp target teams distribute parallel for
        for (int i = 0; i < half; i++)
            v[i] += v[i + half];
    }
    return v[0] != N * (N - 1L) / 2;
}
