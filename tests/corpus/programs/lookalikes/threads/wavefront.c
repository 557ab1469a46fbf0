// Anti-diagonals: the points of one diagonal are independent.
#include <stdio.h>
#define N 20

int main(void)
{
    int c[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            c[i][j] = i == 0 || j == 0;
    for (int d = 2; d < 2 * N - 1; d++) {
        int lo = d < N ? 1 : d - N + 1, hi = d < N ? d - 1 : N - 1;
#pragma omp parallel for
        for (int i = lo; i <= hi; i++)
            c[i][d - i] = (c[i - 1][d - i] + c[i][d - i - 1]) % 1000;
    }
    return c[2][2] != 6;
}
