#include <stdio.h>
#define R 8
#define C 32
int main(void)
{
    static double g[R][C];
    #pragma omp parallel
    #pragma omp single
    for (int r = 1; r < R; r++) {
        #pragma omp task depend(in: g[r-1]) depend(out: g[r]) //@ good
        #pragma omp task depend(out: g[r]) //@ bad
        for (int c = 0; c < C; c++)
            g[r][c] = g[r - 1][c] + 1; // expect: race
    }
    printf("%g\n", g[3][4]);
    return 0;
}
