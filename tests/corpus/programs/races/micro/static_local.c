#include <stdio.h>
#define N 300
static double norm(double x, double y)
{
    static double t; //@ bad
    double t; //@ good
    t = x * x; // or-here
    t += y * y; // expect: race
    return t;
}
int main(void)
{
    static double a[N], r[N];
    for (int i = 0; i < N; i++) a[i] = i % 17;
    #pragma omp parallel for // or-here
    for (int i = 0; i < N; i++)
        r[i] = norm(a[i], 1); // or-here
    printf("%g\n", r[4]);
    return 0;
}
