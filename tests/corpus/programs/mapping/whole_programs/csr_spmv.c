// Sparse matrix times vector, with the matrix in CSR form; build, upload, multiply, release.
#include <stdlib.h>

struct csr {
    int rows, nnz;
    int *ptr, *col;
    double *val;
};

static struct csr tridiagonal(int n)
{
    struct csr m = {n, 0, malloc(sizeof(int) * (n + 1)), malloc(sizeof(int) * 3 * n), malloc(sizeof(double) * 3 * n)};
    for (int i = 0; i < n; i++) {
        m.ptr[i] = m.nnz;
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < n) {
                m.col[m.nnz] = j;
                m.val[m.nnz++] = j == i ? 2.0 : -1.0;
            }
    }
    m.ptr[n] = m.nnz;
    return m;
}

static void spmv(int rows, int nnz, const int *ptr, const int *col, const double *val, const double *x, double *y)
{
#pragma omp target teams distribute parallel for map(to: ptr[0:rows+1], col[0:nnz], val[0:nnz], x[0:rows]) map(from: y[0:rows]) //@ good
#pragma omp target teams distribute parallel for map(to: ptr[0:rows], col[0:nnz], val[0:nnz], x[0:rows]) map(from: y[0:rows]) //@ bad // expect: mapping [bad]
#pragma omp target teams distribute parallel for map(to: ptr[0:rows+1], col[0:nnz], val[0:nnz], x[0:rows], y[0:rows]) //@ bad2 // expect: mapping [bad2]
#pragma omp target teams distribute parallel for map(to: ptr[0:rows+1], col[0:nnz], val[0:nnz]) map(from: x[0:rows], y[0:rows]) //@ bad3 // expect: mapping [bad3]
    for (int i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int k = ptr[i]; k < ptr[i + 1]; k++) // or-here [bad]
            sum += val[k] * x[col[k]]; // or-here [bad3]
        y[i] = sum; // or-here [bad2]
    }
}

int main(void)
{
    struct csr m = tridiagonal(50);
    double x[50], y[50] = {0};
    for (int i = 0; i < 50; i++)
        x[i] = i;
    spmv(m.rows, m.nnz, m.ptr, m.col, m.val, x, y);
    int bad = y[0] != -1.0 || y[49] != 50.0; // or-here [bad2]
    for (int i = 1; i < 49; i++)
        bad |= y[i] != 0.0; // or-here [bad2]
    free(m.ptr);
    free(m.col);
    free(m.val);
    return bad;
}
