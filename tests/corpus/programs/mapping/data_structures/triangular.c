// A packed triangular matrix, its size from the command line.
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 20;
    int size = n * (n + 1) / 2;
    double *tri = malloc(size * sizeof *tri);
    double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    for (int i = 0; i < n; i++) {
        x[i] = 1.0;
        for (int j = 0; j <= i; j++) tri[i * (i + 1) / 2 + j] = 1.0;
    }
#pragma omp target teams distribute parallel for map(to: tri[0:size], x[0:n]) map(from: y[0:n]) //@ good
#pragma omp target teams distribute parallel for map(to: tri[0:n], x[0:n]) map(from: y[0:n]) //@ bad // expect: mapping [bad]
#pragma omp target teams distribute parallel for map(to: tri[0:n * (n - 1) / 2], x[0:n]) map(from: y[0:n]) //@ bad2 // expect: mapping [bad2]
#pragma omp target teams distribute parallel for map(to: tri[0:size / 2], x[0:n]) map(from: y[0:n]) //@ bad3 // expect: mapping [bad3]
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j <= i; j++) s += tri[i * (i + 1) / 2 + j] * x[j]; // expect: mapping [bad bad2 bad3]
        y[i] = s;
    }
    printf("%g\n", y[n - 1]);
    free(tri); free(x); free(y);
    return 0;
}
