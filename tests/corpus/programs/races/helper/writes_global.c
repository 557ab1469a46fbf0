// The helper writes a global variable that the caller's loop shares.
#include <stdio.h>
#define N 80

static double norm;

static double normed(double x)
{
    norm = x * 0.5; //@ bad // expect: race
    return norm + 1.0; //@ bad // or-here
    double norm = x * 0.5; //@ good
    return norm + 1.0; //@ good
}

int main(void)
{
    double v[N];
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        v[i] = normed(i); // or-here
    printf("%g\n", norm);
    return v[2] != 2.0;
}
