#include <stdio.h>
#define N 1000
int main(void)
{
    float a[N], mx = 0;
    for (int i = 0; i < N; i++) a[i] = i % 37;
    #pragma omp target teams distribute parallel for map(to: a) map(tofrom: mx) reduction(max: mx) //@ good
    #pragma omp target teams distribute parallel for map(to: a) map(tofrom: mx) //@ bad // or-here
    for (int i = 0; i < N; i++)
        mx = a[i] > mx ? a[i] : mx; // expect: race
    printf("%g\n", mx);
    return 0;
}
