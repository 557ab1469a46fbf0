// An inner map of present data copies nothing unless it says always.
#include <stdlib.h>

static void load(float *a, int n, float v)
{
    for (int i = 0; i < n; i++)
        a[i] = v;
}

static float sum_on_device(const float *a, int n)
{
    float s = 0;
#pragma omp target teams distribute parallel for map(always, to: a[0:n]) map(tofrom: s) reduction(+: s) //@ good bad2
#pragma omp target teams distribute parallel for map(to: a[0:n]) map(tofrom: s) reduction(+: s) //@ bad // expect: mapping [bad]
    for (int i = 0; i < n; i++)
        s += a[i]; // or-here [bad]
    return s;
}

int main(void)
{
    int n = 50, bad = 0;
    float *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    load(a, n, 0);
#pragma omp target data map(to: a[0:n]) map(alloc: b[0:n])
    for (int k = 1; k < 4; k++) {
        load(a, n, (float)k);
        bad |= sum_on_device(a, n) != (float)(n * k); // or-here [bad]
#pragma omp target teams distribute parallel for map(always, from: b[0:n]) //@ good bad
#pragma omp target teams distribute parallel for map(from: b[0:n]) //@ bad2 // or-here [bad2]
        for (int i = 0; i < n; i++)
            b[i] = a[i] + 1; // or-here [bad]
        bad |= b[3] != k + 1; // expect: mapping [bad2]
    }
    free(a);
    free(b);
    return bad;
}
