// The index comes from another array: nothing can be said about it.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int rows = 3, nnz = 5, row[4] = { 0, 2, 3, 5 }, col[5] = { 0, 2, 1, 0, 2 };
    double val[5] = { 1, 2, 3, 4, 5 }, *x = malloc(rows * sizeof(double)), *y = malloc(rows * sizeof(double));
    for (int i = 0; i < rows; i++)
        x[i] = 1.0;
#pragma omp target teams distribute parallel for map(to: row[0:rows+1], col[0:nnz], val[0:nnz], x[0:rows]) map(from: y[0:rows])
    for (int r = 0; r < rows; r++) {
        double s = 0.0;
        for (int k = row[r]; k < row[r + 1]; k++)
            s += val[k] * x[col[k]];
        y[r] = s;
    }
    int wrong = y[0] != 3.0 || y[2] != 9.0;
    free(x);
    free(y);
    return wrong;
}
