// What is read was written under the same condition.
#include <stdio.h>
#include <stdlib.h>

static double norm(int n, int weighted)
{
    double *x = malloc(n * sizeof(double)), *w = malloc(n * sizeof(double)), s = 0.0;
    for (int i = 0; i < n; i++)
        x[i] = 2.0;
    if (weighted)
        for (int i = 0; i < n; i++)
            w[i] = 0.5;
#pragma omp target teams distribute parallel for reduction(+: s) map(to: x[0:n], w[0:n])
    for (int i = 0; i < n; i++)
        s += weighted ? w[i] * x[i] : x[i];
    free(x);
    free(w);
    return s;
}

int main(void)
{
    return norm(10, 0) != 20.0 || norm(10, 1) != 10.0;
}
