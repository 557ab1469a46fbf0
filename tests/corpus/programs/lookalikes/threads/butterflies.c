// Bitonic sort and a Hadamard transform: the partner index is i ^ mask.
#include <stdio.h>
#define N 64

static int a[N];
static long h[N];

int main(void)
{
    for (int i = 0; i < N; i++) {
        a[i] = (i * 37) % N;
        h[i] = i == 0;
    }
#pragma omp target data map(tofrom: a, h)
    {
        for (int k = 2; k <= N; k *= 2)
            for (int j = k / 2; j > 0; j /= 2) {
#pragma omp target teams distribute parallel for
                for (int i = 0; i < N; i++) {
                    int p = i ^ j;
                    if (p > i && ((i & k) == 0) == (a[i] > a[p])) {
                        int t = a[i];
                        a[i] = a[p];
                        a[p] = t;
                    }
                }
            }
        for (int half = 1; half < N; half *= 2) {
#pragma omp target teams distribute parallel for
            for (int b = 0; b < N / 2; b++) {
                int i = (b / half) * 2 * half + b % half;
                long x = h[i], y = h[i + half];
                h[i] = x + y;
                h[i + half] = x - y;
            }
        }
    }
    for (int i = 0; i < N; i++)
        if (a[i] != i || h[i] != 1)
            return 1;
    return 0;
}
