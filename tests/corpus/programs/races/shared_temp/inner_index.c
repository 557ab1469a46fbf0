// The inner loop's index is declared too far out.
#include <stdio.h>
#define N 16

int main(void)
{
    int a[N][N], i, j;
#pragma omp parallel for //@ bad
#pragma omp parallel for private(j) //@ good
#pragma omp parallel for collapse(2) //@ good2
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) // expect: race
            a[i][j] = i * j; // or-here
    return a[3][5] != 15;
}
