// An update without length.
#include <stdio.h>
#include <stdlib.h>

static double *u;

static double fetch(int n)
{
#pragma omp target update from(u[1:]) //@ bad // expect: mapping
#pragma omp target update from(u[1:n-1]) //@ good
    return u[n - 1];
}

int main(void)
{
    int n = 17;
    u = calloc(n, sizeof(double));
#pragma omp target enter data map(to: u[0:n])
#pragma omp target
    for (int i = 0; i < n; i++)
        u[i] = i;
    double last = fetch(n);
#pragma omp target exit data map(delete: u[0:n])
    free(u);
    return last != 16.0;
}
