#include <stdio.h>
#define N 12
static double a[N][N];
int main(void)
{
    for (int i = 0; i < N; i++)
        a[i][0] = a[0][i] = i;
    #pragma omp parallel for ordered(2)
    for (int i = 1; i < N; i++)
        for (int j = 1; j < N; j++) {
            #pragma omp ordered depend(sink: i - 1, j) depend(sink: i, j - 1) //@ good
            #pragma omp ordered depend(sink: i, j - 1) //@ bad // or-here
            a[i][j] = a[i - 1][j] + a[i][j - 1]; // expect: race
            #pragma omp ordered depend(source)
        }
    printf("%g\n", a[9][9]);
    return 0;
}
