// restrict parameters of the same type are different arrays.
#include <stdio.h>
#define N 31

static void shift(int n, int *restrict to, const int *restrict from)
{
#pragma omp target teams distribute parallel for map(from: to[0:n]) map(to: from[0:n+1])
    for (int i = 0; i < n; i++)
        to[i] = from[i + 1];
}

static void both(int n, double *a, double *b)
{
#pragma omp parallel for
    for (int i = 1; i < n; i++)
        a[i] = b[i - 1];
}

int main(void)
{
    int a[N], b[N + 1];
    double c[N] = { 0 }, d[N];
    for (int i = 0; i <= N; i++)
        b[i] = i;
    for (int i = 0; i < N; i++)
        d[i] = i;
    shift(N, a, b);
    both(N, c, d);
    return a[0] != 1 || c[1] != 0.0;
}
