#include <stdio.h>
#define N 128
double u[N + 2][N + 2], f[N + 2][N + 2];
void sweep(void)
{
    for (int colour = 0; colour < 2; colour++) { //@ good
    #pragma omp parallel for // or-here
    for (int i = 1; i <= N; i++)
        for (int j = 1 + (i + colour) % 2; j <= N; j += 2) //@ good
        for (int j = 1; j <= N; j++) //@ bad
            u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]); // expect: race
    } //@ good
}
int main(void)
{
    for (int i = 0; i < N + 2; i++)
        u[i][0] = f[0][i] = 1;
    for (int it = 0; it < 20; it++)
        sweep();
    printf("%g\n", u[N / 2][N / 2]);
    return 0;
}
