#include <stdio.h>
#define N 40
static double x[N], y[N];
int main(void)
{
    for (int i = 0; i < N; i++)
        x[i] = y[i] = i % 7;
    #pragma omp parallel for ordered(1)
    for (int i = 2; i < N; i++) {
        double t = x[i] * 0.5;
        #pragma omp ordered depend(sink: i - 1) //@ good good2
        #pragma omp ordered depend(sink: i - 2) //@ bad good3 // or-here
        y[i] = y[i - 1] + t; //@ good bad // expect: race
        y[i] = y[i - 2] + t; //@ good2 good3
        #pragma omp ordered depend(source)
    }
    printf("%g\n", y[N - 1]);
    return 0;
}
