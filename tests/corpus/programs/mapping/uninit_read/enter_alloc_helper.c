// Device memory is made by a helper; one of the two arrays is never filled.
#include <stdio.h>
#include <stdlib.h>

typedef struct { int n; float *x, *y; } pair_t;

static void on_device(float *p, int n)
{
#pragma omp target enter data map(alloc: p[0:n]) // or-here
}

static void off_device(float *p, int n)
{
#pragma omp target exit data map(from: p[0:n])
}

static void saxpy(int n, float a, const float *x, float *y)
{
#pragma omp target teams distribute parallel for // expect: mapping
    for (int i = 0; i < n; i++)
        y[i] = a * x[i] + 1.0f; // or-here
}

int main(void)
{
    int n = 300, bad = 0;
    float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    for (int i = 0; i < n; i++)
        x[i] = (float)i;
    on_device(x, n); // or-here
    on_device(y, n);
#pragma omp target update to(x[0:n]) //@ good
#pragma omp target update to(y[0:n]) //@ bad
    saxpy(n, 2.0f, x, y);
    off_device(x, n);
    off_device(y, n);
    for (int i = 0; i < n; i++)
        bad |= y[i] != 2.0f * i + 1.0f;
    free(x);
    free(y);
    printf("%d\n", bad);
    return bad;
}
