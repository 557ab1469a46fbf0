// Tasks on halves of an array, with taskwait before the merge.
#include <stdio.h>
#define N 64

static long sum(const int *v, int n)
{
    if (n <= 8) {
        long s = 0;
        for (int i = 0; i < n; i++)
            s += v[i];
        return s;
    }
    long left, right;
#pragma omp task shared(left)
    left = sum(v, n / 2);
    right = sum(v + n / 2, n - n / 2);
#pragma omp taskwait
    return left + right;
}

int main(void)
{
    int v[N];
    long s = 0;
    for (int i = 0; i < N; i++)
        v[i] = i;
#pragma omp parallel
#pragma omp single
    s = sum(v, N);
    return s != N * (N - 1) / 2;
}
