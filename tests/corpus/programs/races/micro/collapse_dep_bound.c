#include <stdio.h>
#define N 64
int main(void)
{
    static double a[N][N], row[N];
    #pragma omp parallel for collapse(2) //@ bad // or-here
    #pragma omp parallel for //@ good
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++)
            row[i] += a[i][j] * j; // expect: race
    printf("%g\n", row[4]);
    return 0;
}
