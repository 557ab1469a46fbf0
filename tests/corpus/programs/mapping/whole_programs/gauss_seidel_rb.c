// Red-black relaxation with a residual from the device.
#include <math.h>
#include <stdlib.h>

static void half_sweep(double *restrict u, const double *restrict f, int n, int colour)
{
#pragma omp target teams distribute parallel for map(tofrom: u[0:n+2]) map(to: f[0:n+2]) //@ good bad2
#pragma omp target teams distribute parallel for map(tofrom: u[0:n]) map(to: f[0:n]) //@ bad // expect: mapping [bad]
    for (int i = 1; i <= n; i++)
        if (i % 2 == colour)
            u[i] = 0.5 * (u[i - 1] + u[i + 1] - f[i]); // or-here [bad]
}

static double residual(const double *u, const double *f, int n)
{
    double r = 0;
#pragma omp target teams distribute parallel for reduction(max: r) map(tofrom: r) map(to: u[0:n+2], f[0:n+2]) //@ good bad
#pragma omp target teams distribute parallel for reduction(max: r) map(to: r, u[0:n+2], f[0:n+2]) //@ bad2 // expect: mapping [bad2]
    for (int i = 1; i <= n; i++)
        r = fmax(r, fabs(u[i - 1] - 2 * u[i] + u[i + 1] - f[i])); // or-here [bad2]
    return r; // or-here [bad2]
}

int main(void)
{
    int n = 10;
    double *u = calloc(n + 2, sizeof *u), *f = calloc(n + 2, sizeof *f);
    u[0] = 1;
    double before = residual(u, f, n), after;
    for (int t = 0; t < 200; t++) {
        half_sweep(u, f, n, 0);
        half_sweep(u, f, n, 1);
    }
    after = residual(u, f, n);
    free(u);
    free(f);
    return !(before == 1 && after < 1e-3 && after >= 0);
}
