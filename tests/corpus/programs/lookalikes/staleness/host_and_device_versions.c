// The same function for host and device data, chosen by a flag that also chooses the transfers.
#include <stdio.h>
#include <stdlib.h>

static void scale(double *x, int n, int gpu)
{
    if (gpu) {
#pragma omp target teams distribute parallel for
        for (int i = 0; i < n; i++)
            x[i] *= 3.0;
    } else {
        for (int i = 0; i < n; i++)
            x[i] *= 3.0;
    }
}

static double run(int n, int gpu)
{
    double *x = malloc(n * sizeof(double)), s = 0.0;
    for (int i = 0; i < n; i++)
        x[i] = 1.0;
    if (gpu) {
#pragma omp target enter data map(to: x[0:n])
    }
    scale(x, n, gpu);
    if (gpu) {
#pragma omp target exit data map(from: x[0:n])
    }
    for (int i = 0; i < n; i++)
        s += x[i];
    free(x);
    return s;
}

int main(void)
{
    return run(10, 0) != 30.0 || run(10, 1) != 30.0;
}
