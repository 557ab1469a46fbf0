// double (*)[M] as a matrix of run-time height.
#include <stdlib.h>
#define M 24

static void scale(double (*a)[M], int n, double f)
{
#pragma omp target teams distribute parallel for collapse(2) map(tofrom: a[0:n][0:M]) //@ good
#pragma omp target teams distribute parallel for collapse(2) map(tofrom: a[0:n-1][0:M]) //@ bad // expect: mapping [bad]
#pragma omp target teams distribute parallel for collapse(2) map(to: a[0:n][0:M]) //@ bad2 // expect: mapping [bad2]
    for (int i = 0; i < n; i++)
        for (int j = 0; j < M; j++)
            a[i][j] *= f; // or-here [bad bad2]
}

int main(void)
{
    int n = 16;
    double(*a)[M] = malloc(sizeof(double[M]) * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < M; j++)
            a[i][j] = i + j;
    scale(a, n, 3.0);
    int bad = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < M; j++)
            bad |= a[i][j] != 3.0 * (i + j); // or-here [bad2]
    free(a);
    return bad;
}
