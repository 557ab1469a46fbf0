// New boundary values in every step, set on the host.
#include <stdio.h>
#include <stdlib.h>
#define STEPS 5

static void set_boundary(double *u, int n, int step)
{
    u[0] = step; // or-here
    u[n - 1] = -step; // or-here
}

static double sum_ends(const double *u, int n)
{
    double s = 0.0;
#pragma omp target map(to: u[0:n]) map(tofrom: s) // expect: mapping
    s = u[0] - u[n - 1]; // or-here
    return s;
}

int main(void)
{
    int n = 20, wrong = 0;
    double *u = calloc(n, sizeof(double));
#pragma omp target enter data map(to: u[0:n])
    for (int step = 1; step <= STEPS; step++) {
        set_boundary(u, n, step);
#pragma omp target update to(u[0:1]) //@ good
#pragma omp target update to(u[n-1:1]) //@ good
#pragma omp target update to(u[0:n]) //@ good2
        wrong += sum_ends(u, n) != 2.0 * step;
    }
#pragma omp target exit data map(release: u[0:n])
    free(u);
    printf("%d\n", wrong);
    return wrong != 0;
}
