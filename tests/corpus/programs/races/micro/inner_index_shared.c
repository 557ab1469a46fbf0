#include <stdio.h>
#define N 100
int main(void)
{
    static double a[N][N], b[N][N];
    int j;
    #pragma omp parallel for private(j) //@ good
    #pragma omp parallel for //@ bad // or-here
    for (int i = 0; i < N; i++)
        for (j = 0; j < N; j++) // expect: race
            a[i][j] = b[j][i]; // or-here
    printf("%g\n", a[3][4]);
    return 0;
}
