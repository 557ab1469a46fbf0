// A file of a library: the callers have mapped what the kernels use.
#include <stddef.h>

void axpy(size_t n, double a, const double *x, double *y)
{
#pragma omp target teams distribute parallel for
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

double nrm2(size_t n, const double *x)
{
    double s = 0.0;
#pragma omp target teams distribute parallel for reduction(+: s)
    for (size_t i = 0; i < n; i++)
        s += x[i] * x[i];
    return s;
}

void push(size_t n, double *x)
{
#pragma omp target update to(x[0:n])
}

void pull(size_t n, double *x)
{
#pragma omp target update from(x[0:n])
}
//@ run {
int main(void)
{
    double x[4] = { 1, 1, 1, 1 }, y[4] = { 0 }, s;
#pragma omp target data map(to: x) map(alloc: y)
    {
        push(4, y);
        axpy(4, 2.0, x, y);
        s = nrm2(4, y);
        pull(4, y);
    }
    return s != 16.0 || y[3] != 2.0;
}
