// The collapsed loop's second index carries the dependence.
#include <stdio.h>
#define N 24

int main(void)
{
    int g[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            g[i][j] = i + j;
#pragma omp target teams distribute parallel for collapse(2) map(tofrom: g) //@ bad
#pragma omp target teams distribute parallel for map(tofrom: g) //@ good
    for (int i = 0; i < N; i++)
        for (int j = 1; j < N; j++)
            g[i][j] = g[i][j - 1] + 1; // expect: race
    return g[2][N - 1] != N + 1;
}
