// LU factorisation of a matrix on the stack of the caller (a VLA).
#include <math.h>

static void lu(int n, double a[n][n])
{
#pragma omp target data map(tofrom: a[0:n][0:n]) //@ good
#pragma omp target data map(to: a[0:n][0:n]) //@ bad // or-here [bad]
#pragma omp target data map(from: a[0:n][0:n]) //@ bad2 // or-here [bad2]
    for (int k = 0; k < n; k++) {
#pragma omp target teams distribute parallel for // expect: mapping [bad2]
        for (int i = k + 1; i < n; i++)
            a[i][k] /= a[k][k]; // or-here [bad2]
#pragma omp target teams distribute parallel for collapse(2)
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
    }
} // or-here [bad]

int main(void)
{
    enum { n = 12 };
    double a[n][n], b[n][n];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = b[i][j] = i == j ? 20 : (i + j) % 5;
    lu(n, a);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int k = 0; k <= (i < j ? i : j); k++)
                s += (k == i ? 1 : a[i][k]) * a[k][j]; // expect: mapping [bad]
            if (fabs(s - b[i][j]) > 1e-9)
                return 1;
        }
    return 0;
}
