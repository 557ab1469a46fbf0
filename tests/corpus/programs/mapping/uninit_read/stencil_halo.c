// The first sweep reads both buffers' borders; one of them was only allocated.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 10

static void sweep(int n, const double *old, double *new)
{
#pragma omp target teams distribute parallel for
    for (int i = 1; i < n - 1; i++)
        new[i] = 0.5 * (old[i - 1] + old[i + 1]);
}

static void reference(int n, double *a, double *b)
{
    for (int s = 0; s < STEPS; s++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = 0.5 * (a[i - 1] + a[i + 1]);
        double *t = a;
        a = b;
        b = t;
    }
}

int main(void)
{
    int n = 256;
    double *a = calloc(n, sizeof(double)), *b = calloc(n, sizeof(double));
    double *ra = calloc(n, sizeof(double)), *rb = calloc(n, sizeof(double));
    a[0] = b[0] = ra[0] = rb[0] = 1.0;
#pragma omp target data map(tofrom: a[0:n]) map(alloc: b[0:n]) //@ bad // expect: mapping
#pragma omp target data map(tofrom: a[0:n]) map(to: b[0:n]) //@ good
    for (int s = 0; s < STEPS; s += 2) {
        sweep(n, a, b);
        sweep(n, b, a);
    }
    reference(n, ra, rb);
    int wrong = memcmp(a, ra, n * sizeof(double)) != 0;
    printf("%s\n", wrong ? "different" : "same");
    free(a); free(b); free(ra); free(rb);
    return wrong;
}
