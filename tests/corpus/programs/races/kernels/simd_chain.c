#include <stdio.h>
#define N 800
static float a[N], b[N], c[N];
int main(void)
{
    float prev = 1;
    for (int i = 0; i < N; i++)
        a[i] = i, b[i] = N - i;
    #pragma omp simd //@ good bad // or-here
    for (int i = 1; i < N; i++)
        c[i] = a[i] * b[i - 1]; //@ good
        c[i] = a[i] * c[i - 1]; //@ bad // expect: race
    #pragma omp parallel for simd //@ bad2 // or-here
    for (int i = 0; i < N; i++) { //@ bad2
        b[i] = a[i] - prev; //@ bad2 // or-here
        prev = a[i]; //@ bad2 // expect: race [bad2]
    } //@ bad2
    printf("%g %g\n", c[5], b[4] + prev);
    return 0;
}
