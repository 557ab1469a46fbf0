/* Arrays whose lengths are variables: as locals, as parameters, as pointers to rows, in functions, in parallel regions. */
#include <stdio.h>
#include <stdlib.h>

static double total_of_row(int m, const double row[m])
{
    double total = 0;
    for (int j = 0; j < m; j++)
        total += row[j];
    return total;
}
static double corner(int n, int m, double a[n][m]) { return a[n - 1][m - 1]; }

static void scale(int n, int m, double a[n][m], double factor)
{
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : a[0 : n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] *= factor;
}

int main(void)
{
    int n = 13, m = 7, k = 3, wrong = 0;
    double a[n][m], sums[n];
    double(*cube)[m][k] = malloc(n * sizeof *cube);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            a[i][j] = i * 10 + j;
            for (int l = 0; l < k; l++)
                cube[i][j][l] = i + j + l;
        }
    scale(n, m, a, 2);
#pragma omp target teams distribute parallel for map(to : a) map(from : sums)
    for (int i = 0; i < n; i++)
        sums[i] = total_of_row(m, a[i]) + corner(n, m, a);
#pragma omp target map(tofrom : cube[0 : n])
    {
        cube[0][0][0] = 100;
#pragma omp parallel for
        for (int i = 1; i < n; i++)
            for (int l = 0; l < k; l++)
                cube[i][m - 1][l] += cube[0][0][0];
    }
    for (int i = 0; i < n; i++) {
        double expected = 2 * (10 * i * m + m * (m - 1) / 2) + 2 * ((n - 1) * 10 + m - 1);
        wrong += sums[i] != expected;
        wrong += cube[i][m - 1][k - 1] != i + m - 1 + k - 1 + (i ? 100 : 0);
    }
    if (wrong)
        printf("%d wrong: %g %g\n", wrong, sums[1], cube[1][m - 1][k - 1]);
    free(cube);
    return wrong != 0;
}
