#include <stdio.h>
#define N 256
static void scale(double *p, int n)
{
    #pragma omp target teams distribute parallel for is_device_ptr(p) // or-here
    for (int i = 1; i < n; i++)
        p[i] *= 2; //@ good
        p[i - 1] += p[i]; //@ bad // expect: race
}
int main(void)
{
    static double a[N];
    double *p = a;
    for (int i = 0; i < N; i++) a[i] = i;
    #pragma omp target data map(tofrom: p[0:N]) use_device_ptr(p)
    scale(p, N);
    printf("%g\n", a[3]);
    return 0;
}
