// A pointer to one of two arrays.
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = 100;
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    for (int i = 0; i < n; i++) { a[i] = 1; b[i] = 2; }
    double *src = argc > 1 ? a : b;
    double s = 0;
#pragma omp target teams distribute parallel for reduction(+: s) map(tofrom: s) map(to: src[0:n]) //@ good
#pragma omp target teams distribute parallel for reduction(+: s) map(tofrom: s) map(from: src[0:n]) //@ bad // expect: mapping [bad]
#pragma omp target teams distribute parallel for reduction(+: s) map(tofrom: s) map(to: src[0:n / 2]) //@ bad2 // expect: mapping [bad2]
#pragma omp target teams distribute parallel for reduction(+: s) map(tofrom: s) map(to: src) //@ bad3 // expect: mapping [bad3]
    for (int i = 0; i < n; i++) s += src[i]; // expect: mapping [bad bad2 bad3]
    printf("%g\n", s);
    free(a); free(b);
    return 0;
}
