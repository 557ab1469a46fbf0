// y = A x and z = A^T y in one data region.
#include <stdlib.h>

int main(void)
{
    int rows = 20, cols = 30, bad = 0;
    double *A = malloc(sizeof(double) * rows * cols), *x = malloc(sizeof(double) * cols);
    double *y = malloc(sizeof(double) * rows), *z = malloc(sizeof(double) * cols);
    for (int i = 0; i < rows * cols; i++)
        A[i] = 1;
    for (int j = 0; j < cols; j++)
        x[j] = 1;
#pragma omp target data map(to: A[0:rows*cols], x[0:cols]) map(alloc: y[0:rows]) map(from: z[0:cols]) //@ good
#pragma omp target data map(to: A[0:rows*rows], x[0:cols]) map(alloc: y[0:rows]) map(from: z[0:cols]) //@ bad // or-here [bad]
#pragma omp target data map(to: A[0:rows*cols], x[0:cols]) map(alloc: y[0:rows]) map(from: z[0:rows]) //@ bad2 // or-here [bad2]
#pragma omp target data map(to: A[0:rows*cols], x[0:cols]) map(alloc: y[0:rows], z[0:cols]) //@ bad3 // or-here [bad3]
    {
#pragma omp target teams distribute parallel for
        for (int i = 0; i < rows; i++) {
            double s = 0;
            for (int j = 0; j < cols; j++)
                s += A[i * cols + j] * x[j]; // expect: mapping [bad]
            y[i] = s;
        }
#pragma omp target teams distribute parallel for
        for (int j = 0; j < cols; j++) {
            double s = 0;
            for (int i = 0; i < rows; i++)
                s += A[i * cols + j] * y[i];
            z[j] = s; // expect: mapping [bad2]
        }
    }
    for (int j = 0; j < cols; j++)
        bad |= z[j] != 600; // expect: mapping [bad3]
    free(A), free(x), free(y), free(z);
    return bad;
}
