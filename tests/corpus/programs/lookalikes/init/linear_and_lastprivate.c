// Loop variables and results that have no value before the loop, and need none.
#include <stdio.h>
#define N 40

static int u[N], v[N];

static long run(long a, long b, long c)
{
    long d, e = 0;
#pragma omp target teams distribute parallel for simd map(to: v) map(from: u) map(tofrom: e) lastprivate(e)
    for (d = a; d < b; d++) {
        u[d] = v[d] + 1;
        e = c + d * 5;
    }
    return e;
}

static long last(long n)
{
    long i, x;
#pragma omp parallel for lastprivate(x, i)
    for (i = 0; i < n; i++)
        x = 3 * i;
    return x + i;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        v[i] = i;
    long e = run(0, N, 100);
    return e != 295 || u[39] != 40 || last(10) != 37;
}
