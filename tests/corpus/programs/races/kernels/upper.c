#include <stdio.h>
#define N 90
static double c[N][N];
int main(void)
{
    #pragma omp parallel for schedule(dynamic) // or-here
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++) {
            double v = i * 0.5 + j;
            c[i][j] = v;
            if (i != j) //@ good
                c[j][i] = v; //@ good
            c[j][0] += v; //@ bad // expect: race
        }
    printf("%g\n", c[3][4]);
    return 0;
}
