// A block of columns is not one piece of memory.
#include <stdio.h>
#define R 10
#define C 20

int main(void)
{
    double m[R][C], s = 0.0;
    for (int i = 0; i < R; i++)
        for (int j = 0; j < C; j++)
            m[i][j] = 1.0;
#pragma omp target map(to: m[0:R][0:C/2]) map(tofrom: s) //@ bad // expect: mapping
#pragma omp target map(to: m[0:R][0:C]) map(tofrom: s) //@ good
#pragma omp target map(to: m[0:R]) map(tofrom: s) //@ good2
    for (int i = 0; i < R; i++)
        for (int j = 0; j < C / 2; j++)
            s += m[i][j];
    printf("%g\n", s);
    return s != R * C / 2;
}
