#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int jacobi(int n, const double *A, const double *b, double *x, double tol)
{
    double *xn = malloc(n * sizeof *xn), err = 1;
    int it = 0;
    #pragma omp parallel shared(err, it)
    while (err > tol && it < 1000) { // or-here
        #pragma omp barrier //@ good bad2
        #pragma omp single //@ good bad bad2
        { err = 0; it++; } //@ good bad bad2 // expect: race [bad]
        #pragma omp for reduction(+: err) //@ good bad
        #pragma omp for //@ bad2 // or-here
        for (int i = 0; i < n; i++) {
            double s = b[i];
            for (int j = 0; j < n; j++)
                if (j != i)
                    s -= A[i * n + j] * x[j];
            xn[i] = s / A[i * n + i];
            err += fabs(xn[i] - x[i]); // expect: race [bad2]
        }
        #pragma omp for
        for (int i = 0; i < n; i++)
            x[i] = xn[i];
    }
    free(xn);
    return it;
}
int main(void)
{
    int n = 50;
    double *A = malloc(n * n * sizeof *A), *b = malloc(n * sizeof *b), *x = calloc(n, sizeof *x);
    for (int i = 0; i < n; i++) {
        b[i] = 1;
        for (int j = 0; j < n; j++)
            A[i * n + j] = i == j ? n : 0.5;
    }
    printf("%d\n", jacobi(n, A, b, x, 1e-6));
    free(A), free(b), free(x);
    return 0;
}
