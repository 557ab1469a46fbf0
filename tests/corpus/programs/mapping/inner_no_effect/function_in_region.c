// The function is right on its own; called inside of `target data map(to:)` its result stays on the device.
#include <stdio.h>
#define N 12

static void fill(double *out)
{
#pragma omp target map(from: out[0:N]) // or-here
    for (int i = 0; i < N; i++)
        out[i] = 1.5 * i; // or-here
}

int main(void)
{
    double t[N] = { 0 };
    fill(t);
    if (t[1] != 1.5)
        return 1;
    for (int i = 0; i < N; i++)
        t[i] = 0.0;
#pragma omp target data map(to: t) //@ bad // expect: mapping
#pragma omp target data map(tofrom: t) //@ good
    {
        fill(t); // or-here
    }
    printf("%g\n", t[2]); // or-here
    return t[2] != 3.0; // or-here
}
