// A function swaps its buffers under `target data`; what is mapped after it is known all the same.
#include <stdio.h>
#include <stdlib.h>

static void jacobi(int n, int steps, double *u, double *v) {
#pragma omp target data map(tofrom: u[0:n*n], v[0:n*n])
    for (int s = 0; s < steps; s++) {
#pragma omp target teams distribute parallel for collapse(2)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                v[i*n+j] = 0.25 * (u[(i-1)*n+j] + u[(i+1)*n+j] + u[i*n+j-1] + u[i*n+j+1]);
        double *t = u;
        u = v;
        v = t;
    }
}

static double residual(int n, const double *u) {
    double r = 0;
#pragma omp target teams distribute parallel for reduction(+: r) map(to: u[0:n*n]) //@ good
#pragma omp target teams distribute parallel for reduction(+: r) map(to: u[0:n]) //@ bad // expect: mapping
    for (int i = 0; i < n * n; i++)
        r += u[i] * u[i]; // or-here
    return r;
}

int main(void) {
    int n = 512;
    double *u = malloc(n * n * sizeof *u), *v = malloc(n * n * sizeof *v);
    for (int i = 0; i < n * n; i++)
        u[i] = v[i] = i % 7;
    jacobi(n, 11, u, v);
    double r = residual(n, u);
    free(u);
    free(v);
    printf("%g\n", r);
    return r > 0 ? 0 : 1;
}
