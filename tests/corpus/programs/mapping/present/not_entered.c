// `present` demands that the data is there.
// needs: clang (gcc 12 does not know this)
#include <stdio.h>
#include <stdlib.h>

static void halve(double *x, int n)
{
#pragma omp target map(present, tofrom: x[0:n]) // expect: mapping
    for (int i = 0; i < n; i++)
        x[i] /= 2.0;
}

int main(void)
{
    int n = 40;
    double *x = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++)
        x[i] = 2.0;
#pragma omp target enter data map(to: x[0:n]) //@ good
    halve(x, n); // or-here
#pragma omp target exit data map(from: x[0:n]) //@ good
    int wrong = x[0] != 1.0;
    free(x);
    return wrong;
}
