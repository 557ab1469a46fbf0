#include <stdio.h>
#define N 100
#define M 80
static int a[N][M];
int main(void)
{
    int i, j, k;
    #pragma omp parallel for collapse(2) private(k) //@ good
    #pragma omp parallel for private(k) //@ bad // or-here
    #pragma omp parallel for collapse(2) //@ bad2 // or-here
    for (i = 0; i < N; i++)
        for (j = 0; j < M; j++) { // expect: race [bad]
            a[i][j] = 0; // or-here
            for (k = 0; k < 10; k++) // expect: race [bad2]
                a[i][j] += k * i; // or-here
        }
    int s = 0;
    for (i = 0; i < N; i++)
        for (j = 0; j < M; j++)
            s += a[i][j];
    printf("%d\n", s);
    return 0;
}
