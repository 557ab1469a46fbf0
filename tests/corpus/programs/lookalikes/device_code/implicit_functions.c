// Functions of this file are for the device without being declared, also through others.
#include <math.h>
#include <stdio.h>

static double kernel(double r, double h) { return r < h ? (h - r) * (h - r) : 0.0; }
static double density(const double *x, int n, int i, double h)
{
    double s = 0.0;
    for (int j = 0; j < n; j++)
        s += kernel(fabs(x[i] - x[j]), h);
    return s;
}

int main(void)
{
    double x[16], rho[16];
    for (int i = 0; i < 16; i++)
        x[i] = i;
#pragma omp target teams distribute parallel for map(to: x) map(from: rho)
    for (int i = 0; i < 16; i++)
        rho[i] = density(x, 16, i, 1.5);
    return fabs(rho[5] - 2.75) > 1e-12 || sqrt(rho[0]) < 1.0;
}
