/* matmul: C = A*B, with the shape of the launch chosen by hand.
 *
 * What to look at: `num_teams` and `thread_limit` fix the league. On a GPU a team is a block and its threads are the
 * block's threads, so this launches TEAMS blocks of THREADS threads for N*N results: every thread computes several
 * of them, and the distribution over teams first, over threads second, is the compiler's business. The arrays are
 * true two-dimensional arrays; their size is part of their type, so `map(to: a, b)` needs no section.
 */
#include <math.h>
#include <stdio.h>

#define N 96
#define TEAMS 12
#define THREADS 64

static double a[N][N], b[N][N], c[N][N];

static void multiply(void)
{
    #pragma omp target teams distribute parallel for collapse(2) \
        num_teams(TEAMS) thread_limit(THREADS)                   \
        map(to: a, b) map(from: c)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0.0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum; /* every element is written, so c need not be copied in (from) */
        }
}

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (i + j) % 7;
            b[i][j] = (i * j) % 5 - 2;
        }

    multiply();

    double error = 0.0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0.0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            error = fmax(error, fabs(c[i][j] - sum));
        }
    printf("matmul: %d x %d, c[3][5] = %g, %s\n", N, N, c[3][5], error > 0.0 ? "WRONG" : "correct");
    return error > 0.0;
}
