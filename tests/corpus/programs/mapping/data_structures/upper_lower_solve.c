// A triangular system, row by row.
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 30;
    double *L = calloc(n * n, sizeof *L), *b = malloc(n * sizeof *b), *x = malloc(n * sizeof *x);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) L[i * n + j] = i == j ? 2 : 0.1;
        b[i] = 1;
    }
#pragma omp target enter data map(to: L[0:n * n], b[0:n]) map(alloc: x[0:n]) //@ good bad3 bad4
#pragma omp target enter data map(to: L[0:n * n]) map(alloc: x[0:n], b[0:n]) //@ bad // expect: mapping [bad]
#pragma omp target enter data map(to: L[0:n * (n + 1) / 2], b[0:n]) map(alloc: x[0:n]) //@ bad2 // expect: mapping [bad2]
    for (int i = 0; i < n; i++) {
        double s = 0;
#pragma omp target teams distribute parallel for reduction(+: s) map(tofrom: s) // expect: mapping [bad2]
        for (int j = 0; j < i; j++) s += L[i * n + j] * x[j]; // expect: mapping [bad2]
#pragma omp target map(to: s) // expect: mapping [bad]
        x[i] = (b[i] - s) / L[i * n + i]; // expect: mapping [bad bad2]
    }
#pragma omp target update from(x[0:n]) //@ good bad bad2
#pragma omp target update from(x[0:n - 1]) //@ bad4 // expect: mapping [bad4]
    printf("%g\n", x[n - 1]); // expect: mapping [bad3 bad4]
#pragma omp target exit data map(delete: L[0:n * n], b[0:n], x[0:n]) //@ good bad bad3 bad4
#pragma omp target exit data map(delete: L[0:n * (n + 1) / 2], b[0:n], x[0:n]) //@ bad2 // expect: mapping [bad2]
    free(L); free(b); free(x);
    return 0;
}
