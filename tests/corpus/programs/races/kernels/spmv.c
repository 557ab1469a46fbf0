#include <stdio.h>
#include <stdlib.h>
typedef struct { int n; int *ptr, *col; double *val; } csr;
void spmv(const csr *m, const double *x, double *y)
{
    const int *ptr = m->ptr, *col = m->col;
    const double *val = m->val;
    double sum; //@ bad
    #pragma omp parallel for schedule(dynamic, 8) // or-here
    for (int i = 0; i < m->n; i++) {
        double sum = 0; //@ good
        sum = 0; //@ bad // expect: race
        for (int k = ptr[i]; k < ptr[i + 1]; k++)
            sum += val[k] * x[col[k]]; // or-here
        y[i] = sum; // or-here
    }
}
int main(void)
{
    int p[] = {0, 2, 3, 5}, c[] = {0, 1, 1, 0, 2};
    double v[] = {1, 2, 3, 4, 5}, x[] = {1, 1, 1}, y[3] = {0};
    csr m = {3, p, c, v};
    spmv(&m, x, y);
    printf("%g %g %g\n", y[0], y[1], y[2]);
    return 0;
}
