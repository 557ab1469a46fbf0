// A matrix of rows*cols elements; only the rows are mapped.
#include <stdio.h>
#include <stdlib.h>

static void row_sums(const float *m, int rows, int cols, float *sums)
{
#pragma omp target teams distribute parallel for map(to: m[0:rows]) map(from: sums[0:rows]) //@ bad // expect: mapping
#pragma omp target teams distribute parallel for map(to: m[0:rows*cols]) map(from: sums[0:rows]) //@ good
    for (int r = 0; r < rows; r++) {
        float s = 0.0f;
        for (int c = 0; c < cols; c++)
            s += m[r * cols + c]; // or-here
        sums[r] = s;
    }
}

int main(void)
{
    int rows = 30, cols = 40, wrong = 0;
    float *m = malloc(rows * cols * sizeof *m), *sums = malloc(rows * sizeof *sums);
    for (int i = 0; i < rows * cols; i++)
        m[i] = 1.0f;
    row_sums(m, rows, cols, sums);
    for (int r = 0; r < rows; r++)
        wrong |= sums[r] != (float)cols;
    free(m);
    free(sums);
    return wrong;
}
