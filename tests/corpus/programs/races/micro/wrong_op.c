#include <stdio.h>
#define N 300
int main(void)
{
    double a[N], s = 0, m = 0;
    for (int i = 0; i < N; i++) a[i] = i % 17;
    #pragma omp parallel for reduction(+: s) reduction(max: m) //@ good
    #pragma omp parallel for reduction(+: s) //@ bad // or-here
    for (int i = 0; i < N; i++) {
        s += a[i];
        if (a[i] > m) m = a[i]; // expect: race
    }
    printf("%g %g\n", s, m);
    return 0;
}
