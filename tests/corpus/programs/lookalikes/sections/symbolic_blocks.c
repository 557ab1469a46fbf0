// Tiles of a matrix by pointer arithmetic; sizes are products of run-time values.
#include <stdio.h>
#include <stdlib.h>

static void tile(float *t, int ld, int h, int w)
{
#pragma omp target teams distribute parallel for collapse(2) map(tofrom: t[0:(h-1)*ld+w])
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++)
            t[i * ld + j] += 1.0f;
}

int main(void)
{
    int rows = 8, cols = 12, th = 4, tw = 6, wrong = 0;
    float *m = calloc(rows * cols, sizeof(float));
    for (int r = 0; r < rows; r += th)
        for (int c = 0; c < cols; c += tw)
            tile(m + r * cols + c, cols, th, tw);
    for (int i = 0; i < rows * cols; i++)
        wrong |= m[i] != 1.0f;
    free(m);
    return wrong;
}
