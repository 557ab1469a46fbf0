// Two arrays with names that differ by a letter.
#include <stdio.h>
#include <stdlib.h>

static void square(double *d_in, int n)
{
#pragma omp target teams distribute parallel for map(tofrom: d_in[0:n])
    for (int i = 0; i < n; i++)
        d_in[i] *= d_in[i];
}

int main(void)
{
    int n = 12;
    double *xs = malloc(n * sizeof(double)), *xt = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++)
        xs[i] = xt[i] = i;
#pragma omp target enter data map(to: xs[0:n])
    square(xs, n);
#pragma omp target update from(xt[0:n]) //@ bad // expect: mapping
#pragma omp target update from(xs[0:n]) //@ good
    int wrong = xs[5] != 25.0; // or-here
#pragma omp target exit data map(delete: xs[0:n])
    free(xs);
    free(xt);
    return wrong;
}
