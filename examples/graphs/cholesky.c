/* A Cholesky decomposition in blocks, as a graph of target tasks: `ompls graph cholesky.c` shows it.

   A = U^T U for NB x NB blocks of TS x TS numbers.  The graph has NB (NB + 1) (NB + 2) / 6 tasks in 3 NB - 2 levels:
   -DNB=20 are 1,540 in 58. */

#include <math.h>
#include <stdio.h>

#ifndef NB
#define NB 5
#endif
#define TS 8

typedef double block[TS][TS];

static block A[NB][NB], original[NB][NB];

#pragma omp begin declare target

/* a = its factor. */
static void potrf(block a)
{
    for (int k = 0; k < TS; k++) {
        a[k][k] = sqrt(a[k][k]);
        for (int j = k + 1; j < TS; j++)
            a[k][j] /= a[k][k];
        for (int i = k + 1; i < TS; i++)
            for (int j = i; j < TS; j++)
                a[i][j] -= a[k][i] * a[k][j];
    }
}

/* b = u^-T b, column by column. */
static void trsm(block u, block b)
{
#pragma omp parallel for
    for (int j = 0; j < TS; j++)
        for (int i = 0; i < TS; i++) {
            for (int k = 0; k < i; k++)
                b[i][j] -= u[k][i] * b[k][j];
            b[i][j] /= u[i][i];
        }
}

/* c -= a^T b. */
static void gemm(block a, block b, block c)
{
#pragma omp parallel for
    for (int i = 0; i < TS; i++)
        for (int j = 0; j < TS; j++)
            for (int k = 0; k < TS; k++)
                c[i][j] -= a[k][i] * b[k][j];
}

#pragma omp end declare target

static void decompose(void)
{
#pragma omp target data map(tofrom : A)
    {
#pragma omp taskgraph
        for (int k = 0; k < NB; k++) {
#pragma omp target nowait map(A[k][k]) depend(inout : A[k][k]) firstprivate(saved : k)
            potrf(A[k][k]);
            for (int i = k + 1; i < NB; i++) {
#pragma omp target nowait map(A[k][k], A[k][i]) depend(in : A[k][k]) depend(inout : A[k][i]) firstprivate(saved : k, i)
                trsm(A[k][k], A[k][i]);
            }
            for (int l = k + 1; l < NB; l++) {
                for (int j = k + 1; j < l; j++) {
#pragma omp target nowait map(A[k][j], A[k][l], A[j][l]) depend(in : A[k][j], A[k][l]) depend(inout : A[j][l]) \
    firstprivate(saved : k, j, l)
                    gemm(A[k][j], A[k][l], A[j][l]);
                }
#pragma omp target nowait map(A[k][l], A[l][l]) depend(in : A[k][l]) depend(inout : A[l][l]) firstprivate(saved : k, l)
                gemm(A[k][l], A[k][l], A[l][l]);
            }
        }
    }
}

static double element(int row, int column, block m[NB][NB])
{
    return m[row / TS][column / TS][row % TS][column % TS];
}

int main(void)
{
    const int n = NB * TS;
    double worst = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i / TS][j / TS][i % TS][j % TS] = (i == j ? n : 0) + 1.0 / (1 + (i > j ? i - j : j - i));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            original[i / TS][j / TS][i % TS][j % TS] = element(i, j, A);
    decompose();
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            double sum = 0;
            for (int k = 0; k <= i; k++)
                sum += element(k, i, A) * element(k, j, A);
            worst = fmax(worst, fabs(sum - element(i, j, original)));
        }
    printf("cholesky: %d x %d numbers in %d tasks, %s\n", n, n, NB * (NB + 1) * (NB + 2) / 6,
           worst < 1e-9 ? "correct" : "wrong");
    return worst >= 1e-9;
}
