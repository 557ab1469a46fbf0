// Row pointers into one block; only the block goes to the device.
#include <stdio.h>
#include <stdlib.h>

static double **matrix(int r, int c)
{
    double **m = malloc(r * sizeof *m);
    m[0] = malloc(r * c * sizeof **m);
    for (int i = 1; i < r; i++)
        m[i] = m[0] + i * c;
    return m;
}

int main(void)
{
    int r = 6, c = 9;
    double **m = matrix(r, c), *flat = m[0];
    for (int i = 0; i < r; i++)
        for (int j = 0; j < c; j++)
            m[i][j] = i;
#pragma omp target teams distribute parallel for collapse(2) map(tofrom: flat[0:r*c])
    for (int i = 0; i < r; i++)
        for (int j = 0; j < c; j++)
            flat[i * c + j] += j;
    int wrong = m[5][8] != 13.0;
    free(m[0]);
    free(m);
    return wrong;
}
