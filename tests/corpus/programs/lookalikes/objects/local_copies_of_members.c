// The members are copied to local pointers before the kernel: the usual way.
#include <stdio.h>
#include <stdlib.h>

typedef struct { int nx, ny; double *t, *t_new; } heat;

static double heat_step(heat *h)
{
    const int nx = h->nx, ny = h->ny;
    double *t = h->t, *t_new = h->t_new, diff = 0.0;
#pragma omp target teams distribute parallel for collapse(2) reduction(+: diff)
    for (int i = 1; i < nx - 1; i++)
        for (int j = 1; j < ny - 1; j++) {
            t_new[i * ny + j] = 0.25 * (t[(i - 1) * ny + j] + t[(i + 1) * ny + j] + t[i * ny + j - 1] + t[i * ny + j + 1]);
            double d = t_new[i * ny + j] - t[i * ny + j];
            diff += d * d;
        }
    h->t = t_new;
    h->t_new = t;
    return diff;
}

int main(void)
{
    heat h = { 12, 14, calloc(12 * 14, sizeof(double)), calloc(12 * 14, sizeof(double)) };
    double *t = h.t, *t_new = h.t_new, diff = 0.0;
    for (int i = 0; i < h.nx; i++)
        t[i * h.ny] = t_new[i * h.ny] = 1.0;
    int size = h.nx * h.ny;
#pragma omp target enter data map(to: t[0:size], t_new[0:size])
    for (int k = 0; k < 500; k++)
        diff = heat_step(&h);
#pragma omp target exit data map(from: t[0:size], t_new[0:size])
    int wrong = diff > 1e-6 || h.t[5 * 14 + 1] <= 0.1;
    free(t);
    free(t_new);
    return wrong;
}
