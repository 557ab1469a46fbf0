#include <stdio.h>
#define N 300
#pragma omp declare target //@ bad
static double work[8]; //@ bad
#pragma omp end declare target //@ bad
static double window(const double *a, int at)
{
    double work[8]; //@ good
    double s = 0;
    for (int k = 0; k < 8; k++) work[k] = a[at + k] * k; // expect: race
    for (int k = 0; k < 8; k++) s += work[7 - k] * k; // or-here
    return s;
}
int main(void)
{
    static double a[N + 8], r[N];
    for (int i = 0; i < N; i++) a[i] = i % 17;
    #pragma omp target teams distribute parallel for map(to: a) map(from: r) // or-here
    for (int i = 0; i < N; i++)
        r[i] = window(a, i); // or-here
    printf("%g\n", r[4]);
    return 0;
}
