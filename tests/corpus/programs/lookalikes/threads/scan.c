// An inclusive scan: the reduction with the inscan modifier.
#include <stdio.h>
#define N 25

int main(void)
{
    int v[N], p[N], s = 0;
    for (int i = 0; i < N; i++)
        v[i] = 1;
#pragma omp parallel for simd reduction(inscan, +: s)
    for (int i = 0; i < N; i++) {
        s += v[i];
#pragma omp scan inclusive(s)
        p[i] = s;
    }
    return p[N - 1] != N;
}
