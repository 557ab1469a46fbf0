// Forces are accumulated by two kernels; the driver resets them on the device.
#include <stdlib.h>

static void zero(float *f, int n)
{
#pragma omp target teams distribute parallel for map(from: f[0:n]) //@ good bad2
    for (int i = 0; i < n; i++)
        f[i] = 0;
}

static void bonded(const float *x, float *f, int n)
{
#pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: f[0:n])
    for (int i = 0; i < n - 1; i++)
        f[i] += x[i + 1] - x[i]; // or-here [bad]
}

static void external(const float *x, float *f, int n)
{
#pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: f[0:n]) //@ good bad
#pragma omp target teams distribute parallel for map(to: x[0:n]) map(from: f[0:n]) //@ bad2 // or-here [bad2]
    for (int i = 0; i < n; i++)
        f[i] -= 0.5f * x[i]; // or-here [bad]
}

int main(void)
{
    int n = 40, bad = 0;
    float *x = malloc(n * sizeof *x), *f = malloc(n * sizeof *f);
    for (int i = 0; i < n; i++)
        x[i] = (float)i;
#pragma omp target data map(to: x[0:n]) map(from: f[0:n]) //@ good bad // or-here [bad]
    for (int t = 0; t < 3; t++) {
        zero(f, n);
        bonded(x, f, n); // expect: mapping [bad]
        external(x, f, n); // expect: mapping [bad2]
    }
    for (int i = 0; i < n - 1; i++)
        bad |= f[i] != 1.0f - 0.5f * i;
    free(x);
    free(f);
    return bad;
}
