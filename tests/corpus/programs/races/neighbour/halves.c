// The upper half is written from the lower one; with n instead of n/2 they meet.
#include <stdio.h>
#include <stdlib.h>

static void mirror(float *x, int n)
{
#pragma omp target teams distribute parallel for map(tofrom: x[0:2*n])
    for (int i = 0; i < n; i++)
        x[i + n] = x[i]; //@ good
        x[i + n / 2] = x[i]; //@ bad // expect: hint
}

int main(void)
{
    int n = 20;
    float *x = calloc(2 * n, sizeof(float));
    for (int i = 0; i < n; i++)
        x[i] = (float)i;
    mirror(x, n);
    int wrong = x[2 * n - 1] != n - 1;
    free(x);
    return wrong;
}
