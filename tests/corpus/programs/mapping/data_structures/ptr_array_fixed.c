// Fields behind an array of pointers.
#include <stdio.h>
#include <stdlib.h>
#define NF 3
int main(void)
{
    int n = 50;
    double *f[NF];
    for (int k = 0; k < NF; k++) {
        f[k] = malloc(n * sizeof(double));
        for (int i = 0; i < n; i++) f[k][i] = k + i;
    }
#pragma omp target enter data map(to: f)
    for (int k = 0; k < NF; k++) {
#pragma omp target enter data map(to: f[k][0:n]) //@ good bad3
#pragma omp target enter data map(alloc: f[k][0:n]) //@ bad // expect: mapping [bad]
    }
#pragma omp target teams distribute parallel for // expect: mapping [bad bad2]
    for (int i = 0; i < n; i++)
        f[2][i] = f[0][i] + f[1][i]; // expect: mapping [bad bad2]
    for (int k = 0; k < NF; k++) {
#pragma omp target exit data map(from: f[k][0:n]) //@ good bad
#pragma omp target exit data map(release: f[k][0:n]) //@ bad3 // expect: mapping [bad3]
    }
#pragma omp target exit data map(delete: f)
    double s = 0;
    for (int i = 0; i < n; i++) s += f[2][i]; // expect: mapping [bad3]
    printf("%g\n", s);
    for (int k = 0; k < NF; k++) free(f[k]);
    return 0;
}
