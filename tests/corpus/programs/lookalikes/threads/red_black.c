// Gauss-Seidel in two colours: a point reads the other colour only.
#include <stdio.h>
#define N 18

static double u[N][N];

int main(void)
{
    for (int i = 0; i < N; i++)
        u[i][0] = u[i][N - 1] = u[0][i] = u[N - 1][i] = 1.0;
#pragma omp target data map(tofrom: u)
    for (int sweep = 0; sweep < 400; sweep++)
        for (int colour = 0; colour < 2; colour++) {
#pragma omp target teams distribute parallel for
            for (int i = 1; i < N - 1; i++)
                for (int j = 1 + (i + colour) % 2; j < N - 1; j += 2)
                    u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        }
    return u[N / 2][N / 2] < 0.99;
}
