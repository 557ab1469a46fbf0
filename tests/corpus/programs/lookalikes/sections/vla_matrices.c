// Matrices as VLA parameters; sections of whole rows.
#include <stdio.h>

static void mul(int n, int m, double a[n][m], double b[m][n], double c[n][n])
{
#pragma omp target teams distribute parallel for collapse(2) \
    map(to: a[0:n][0:m], b[0:m][0:n]) map(from: c[0:n][0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            c[i][j] = 0.0;
            for (int k = 0; k < m; k++)
                c[i][j] += a[i][k] * b[k][j];
        }
}

int main(void)
{
    int n = 6, m = 4, wrong = 0;
    double a[n][m], b[m][n], c[n][n];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++)
            a[i][k] = b[k][i] = 1.0;
    mul(n, m, a, b, c);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            wrong |= c[i][j] != m;
    return wrong;
}
