// The phases of a loop over time are separated by explicit barriers, and by those of the loops.
#include <stdio.h>
#include <omp.h>
#define N 40

int main(void)
{
    double a[2][N] = { { 0 } }, change = 0.0;
    int cur = 0, steps = 0;
    a[0][0] = a[1][0] = 1.0;
#pragma omp parallel num_threads(4)
    for (int t = 0; t < 20; t++) {
#pragma omp for
        for (int i = 1; i < N - 1; i++)
            a[1 - cur][i] = 0.5 * (a[cur][i - 1] + a[cur][i + 1]);
#pragma omp single
        change = 0.0;
#pragma omp for reduction(+: change)
        for (int i = 0; i < N; i++)
            change += a[1 - cur][i] - a[cur][i];
#pragma omp barrier
#pragma omp master
        {
            cur = 1 - cur;
            steps++;
        }
#pragma omp barrier
    }
    return steps != 20 || change <= 0.0 || cur != 0;
}
