// A stencil that writes where its neighbours read.
#include <stdio.h>
#define N 50

static double u[N], v[N];

static void smooth(void)
{
#pragma omp target teams distribute parallel for map(tofrom: u) map(tofrom: v)
    for (int i = 1; i < N - 1; i++)
        u[i] = 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1]; //@ bad // expect: race
        v[i] = 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1]; //@ good
}

int main(void)
{
    for (int i = 0; i < N; i++)
        u[i] = v[i] = 2.0;
    smooth();
    return v[N / 2] != 2.0;
}
