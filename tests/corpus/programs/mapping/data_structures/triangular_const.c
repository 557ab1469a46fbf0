// A packed triangular matrix of constant size.
#include <stdio.h>
#define N 64
static double a[N * (N + 1) / 2], col[N];
int main(void)
{
    for (int i = 0; i < N * (N + 1) / 2; i++) a[i] = i;
#pragma omp target map(to: a[0:N * (N + 1) / 2]) map(from: col) //@ good
#pragma omp target map(to: a[0:N * N / 2]) map(from: col) //@ bad // expect: mapping [bad]
#pragma omp target map(alloc: a) map(from: col) //@ bad2 // expect: mapping [bad2]
#pragma omp target map(to: a[0:N * (N + 1) / 2]) map(to: col) //@ bad3 // expect: mapping [bad3]
    for (int j = 0; j < N; j++) {
        double s = 0;
        for (int i = j; i < N; i++) s += a[i * (i + 1) / 2 + j]; // expect: mapping [bad bad2]
        col[j] = s;
    }
    double t = 0;
    for (int j = 0; j < N; j++) t += col[j]; // expect: mapping [bad3]
    printf("%g\n", t);
    return 0;
}
