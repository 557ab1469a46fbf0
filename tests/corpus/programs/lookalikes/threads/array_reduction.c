// Array sections in a reduction, and a user-defined one.
#include <stdio.h>
#define N 300
#define B 6

struct pt { int x, y; };
#pragma omp declare reduction(add: struct pt: omp_out.x += omp_in.x, omp_out.y += omp_in.y) initializer(omp_priv = { 0, 0 })

static void hist(const int *v, int n, int *h)
{
#pragma omp parallel for reduction(+: h[0:B])
    for (int i = 0; i < n; i++)
        h[v[i] % B]++;
}

int main(void)
{
    int v[N], h[B] = { 0 };
    struct pt c = { 0, 0 };
    for (int i = 0; i < N; i++)
        v[i] = i;
    hist(v, N, h);
#pragma omp parallel for reduction(add: c)
    for (int i = 0; i < N; i++) {
        c.x += 1;
        c.y += v[i] % 2;
    }
    return h[0] != N / B || c.x != N || c.y != N / 2;
}
