// Phases in one parallel region, separated by the barriers that constructs imply.
#include <stdio.h>
#define N 50

int main(void)
{
    int a[N], max = 0, base = 0, r[N];
#pragma omp parallel
    {
#pragma omp single
        base = 3;
#pragma omp for
        for (int i = 0; i < N; i++)
            a[i] = base + i;
#pragma omp for reduction(max: max)
        for (int i = 0; i < N; i++)
            max = a[i] > max ? a[i] : max;
#pragma omp single
        base = max;
#pragma omp for nowait
        for (int i = 0; i < N; i++)
            r[i] = max + a[N - 1 - i];
    }
    return r[0] != 104;
}
