// Gauss: rows below the pivot are independent, the pivot row is not written; with <= it is.
#include <stdio.h>
#define N 12

static double a[N][N];

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = i == j ? 2.0 : 1.0;
#pragma omp target data map(tofrom: a)
    for (int k = 0; k < N - 1; k++) {
#pragma omp target teams distribute parallel for
        for (int i = k + 1; i < N; i++) { //@ good
        for (int i = k; i < N; i++) { //@ bad
            double f = a[i][k] / a[k][k]; // or-here
            for (int j = k; j < N; j++)
                a[i][j] -= f * a[k][j]; // expect: race
        }
    }
    return a[N - 1][0] != 0.0;
}
