// Rows of two colours, with an index macro whose arguments are variables.
#include <stdio.h>
#define N 30
#define AT(x, y) ((x) + (n + 2) * (y))
#define IN(x, y, z) ((x) * (n) * (n) + (y) * (n) + (z))

static void relax(int n, double *x)
{
#pragma omp parallel for
    for (int i = 1; i <= n; i++)
        for (int j = 1 + i % 2; j <= n; j += 2)
            x[AT(j, i)] = x[AT(j - 1, i)] + x[AT(j + 1, i)] + x[AT(j, i - 1)] + x[AT(j, i + 1)];
}

static void deepen(int n, double *x)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 1; k < n; k++)
                x[IN(i, j, k)] += x[IN(i, j, k - 1)];
}

int main(void)
{
    static double x[N * N * N];
    for (int i = 0; i < N * N * N; i++)
        x[i] = 1.0;
    relax(N, x);
    deepen(N, x);
    return x[N + 3] < 1.0;
}
