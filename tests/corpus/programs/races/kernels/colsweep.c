#include <stdio.h>
#define N 256
static float g[N][N];
int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            g[i][j] = i ^ j;
    /* every row depends on the one above: columns are independent */
    #pragma omp parallel for //@ good bad2 // or-here
    for (int j = 0; j < N; j++) //@ good bad2
        for (int i = 1; i < N; i++) //@ good
        for (int i = 1; i < N - 1; i++) //@ bad2
            g[i][j] += 0.5f * g[i - 1][j]; //@ good
            g[i][j] += 0.5f * g[i - 1][(j + 1) % N]; //@ bad2 // expect: race
    #pragma omp parallel for //@ bad // or-here
    for (int i = 1; i < N; i++) //@ bad
        for (int j = 0; j < N; j++) //@ bad
            g[i][j] += 0.5f * g[i - 1][j]; //@ bad // expect: race
    printf("%g\n", g[N - 1][N - 1]);
    return 0;
}
