// Rows of a matrix of pointers, mapped one by one.
#include <stdio.h>
#include <stdlib.h>
static float **matrix(int r, int c)
{
    float **m = malloc(r * sizeof(float *));
    for (int i = 0; i < r; i++)
        m[i] = calloc(c, sizeof(float));
    return m;
}
static void release(float **m, int r)
{
    for (int i = 0; i < r; i++) free(m[i]);
    free(m);
}
int main(void)
{
    int rows = 20, cols = 30;
    float **a = matrix(rows, cols);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            a[i][j] = i + j;
#pragma omp target enter data map(to: a[0:rows])
    for (int i = 0; i < rows; i++) {
#pragma omp target enter data map(to: a[i][0:cols]) //@ good bad3
#pragma omp target enter data map(alloc: a[i][0:cols]) //@ bad2 // expect: mapping [bad2]
#pragma omp target enter data map(to: a[i][0:rows]) //@ bad4 // expect: mapping [bad4]
    }
#pragma omp target teams distribute parallel for collapse(2) // expect: mapping [bad bad2 bad4]
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            a[i][j] *= 2.0f; // expect: mapping [bad bad2 bad4]
    for (int i = 0; i < rows; i++) {
#pragma omp target exit data map(from: a[i][0:cols]) //@ good bad2
#pragma omp target exit data map(delete: a[i][0:cols]) //@ bad3 // expect: mapping [bad3]
#pragma omp target exit data map(from: a[i][0:rows]) //@ bad4 // expect: mapping [bad4]
    }
#pragma omp target exit data map(delete: a[0:rows])
    float s = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            s += a[i][j]; // expect: mapping [bad3]
    printf("%f\n", s);
    release(a, rows);
    return 0;
}
