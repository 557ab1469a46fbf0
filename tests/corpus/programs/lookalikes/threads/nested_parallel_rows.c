// A parallel loop in a parallel loop: the inner one works on the row of the outer one.
#include <stdio.h>
#define R 6
#define C 30

static void fill(int *row, int base)
{
#pragma omp parallel for
    for (int j = 0; j < C; j++)
        row[j] = base + j;
}

int main(void)
{
    int m[R][C], wrong = 0;
#pragma omp parallel for
    for (int i = 0; i < R; i++) {
        fill(m[i], 100 * i);
        m[i][0] += 1;
    }
    for (int i = 0; i < R; i++)
        wrong |= m[i][0] != 100 * i + 1 || m[i][C - 1] != 100 * i + C - 1;
    return wrong;
}
