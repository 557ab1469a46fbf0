// A matrix and vectors at file scope.
#include <stdio.h>
#define R 24
#define C 17
static double a[R][C], x[C], y[R];
static void fill(void)
{
    for (int i = 0; i < R; i++)
        for (int j = 0; j < C; j++) a[i][j] = i + j;
    for (int j = 0; j < C; j++) x[j] = 1;
}
static void gemv(void)
{
#pragma omp target teams distribute parallel for map(to: a, x) map(from: y) //@ good
#pragma omp target teams distribute parallel for map(alloc: a) map(to: x) map(from: y) //@ bad // or-here [bad]
#pragma omp target teams distribute parallel for map(to: a) map(from: x) map(from: y) //@ bad2 // or-here [bad2]
#pragma omp target teams distribute parallel for map(to: a, x, y) //@ bad3 // or-here [bad3]
    for (int i = 0; i < R; i++) {
        double s = 0;
        for (int j = 0; j < C; j++)
            s += a[i][j] * x[j]; // expect: mapping [bad bad2]
        y[i] = s; // or-here [bad3]
    }
}
int main(void)
{
    fill();
    gemv();
    double want = 0;
    for (int j = 0; j < C; j++) want += R - 1 + j;
    if (y[R - 1] != want) { // expect: mapping [bad3]
        printf("%g %g\n", y[R - 1], want);
        return 1;
    }
    return 0;
}
