// Each thread works on its own range, computed from its number.
#include <stdio.h>
#include <omp.h>
#define N 100

int main(void)
{
    int v[N], parts[64] = { 0 }, sum = 0;
#pragma omp parallel num_threads(4)
    {
        int t = omp_get_thread_num(), all = omp_get_num_threads();
        int from = t * N / all, to = (t + 1) * N / all;
        for (int i = from; i < to; i++)
            v[i] = i;
        for (int i = from; i < to; i++)
            parts[t] += v[i];
    }
    for (int t = 0; t < 64; t++)
        sum += parts[t];
    return sum != N * (N - 1) / 2;
}
