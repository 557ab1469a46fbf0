#include <stdio.h>
#include <stdlib.h>
void leap(double *restrict p, double *restrict q, const double *c, int nx, int ny)
{
    #pragma omp target teams distribute parallel for collapse(2) map(tofrom: p[:nx*ny], q[:nx*ny]) map(to: c[:nx*ny]) // or-here
    for (int i = 1; i < nx - 1; i++)
        for (int j = 1; j < ny - 1; j++) {
            int o = i * ny + j;
            double lap = p[o - ny] + p[o + ny] + p[o - 1] + p[o + 1] - 4 * p[o]; //@ good // or-here
            double lap = q[o - ny] + q[o + ny] + q[o - 1] + q[o + 1] - 4 * q[o]; //@ bad // or-here
            q[o] = 2 * p[o] - q[o] + c[o] * lap; // expect: race
        }
}
int main(void)
{
    int nx = 40, ny = 30;
    double *p = calloc(nx * ny, 8), *q = calloc(nx * ny, 8), *c = calloc(nx * ny, 8);
    p[50] = 1;
    leap(p, q, c, nx, ny);
    printf("%g\n", q[50]);
    free(p), free(q), free(c);
    return 0;
}
