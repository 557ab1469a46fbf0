// A pointer to one row at a time, mapped by each region.
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int n = 16, m = 10;
    double **a = malloc(n * sizeof *a), *sum = malloc(n * sizeof *sum);
    for (int i = 0; i < n; i++) {
        a[i] = malloc(m * sizeof *a[i]);
        for (int j = 0; j < m; j++) a[i][j] = j;
    }
    for (int i = 0; i < n; i++) {
        double *row = a[i], s = 0;
#pragma omp target map(to: row[0:m]) map(tofrom: s) //@ good
#pragma omp target map(to: row[0:m / 2]) map(tofrom: s) //@ bad // expect: mapping [bad]
#pragma omp target map(to: row[0:m]) //@ bad2 // expect: mapping [bad2]
#pragma omp target map(from: row[0:m]) map(tofrom: s) //@ bad3 // expect: mapping [bad3]
        for (int j = 0; j < m; j++) s += row[j]; // expect: mapping [bad bad2 bad3]
        sum[i] = s; // expect: mapping [bad2]
    }
    printf("%g\n", sum[3]);
    for (int i = 0; i < n; i++) free(a[i]);
    free(a); free(sum);
    return 0;
}
