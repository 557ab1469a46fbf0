// Three arrays, two in the map clauses.
#include <stdio.h>
#include <stdlib.h>
#define CHECKED(p) do { if (!(p)) { perror("malloc"); return 2; } } while (0)

static void triad(double *a, const double *b, const double *c, double s, long n)
{
#pragma omp target teams distribute parallel for map(from: a[0:n]) map(to: b[0:n]) //@ bad // expect: mapping
#pragma omp target teams distribute parallel for map(from: a[0:n]) map(to: b[0:n], c[0:n]) //@ good
    for (long i = 0; i < n; i++)
        a[i] = b[i] + s * c[i]; // or-here
}

int main(void)
{
    long n = 4096;
    double *a = malloc(n * sizeof(double)), *b = malloc(n * sizeof(double)), *c = malloc(n * sizeof(double));
    CHECKED(a);
    CHECKED(b);
    CHECKED(c);
    for (long i = 0; i < n; i++) {
        b[i] = 1.0;
        c[i] = (double)i;
    }
    triad(a, b, c, 2.0, n);
    int wrong = a[100] != 201.0;
    free(a);
    free(b);
    free(c);
    return wrong;
}
