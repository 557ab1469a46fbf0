// Only the borders travel; the host reads and writes nothing else.
#include <stdio.h>
#include <stdlib.h>

static void exchange(double *u, int n)
{
#pragma omp target update from(u[1:1])
#pragma omp target update from(u[n-2:1])
    u[0] = u[n - 2];
    u[n - 1] = u[1];
#pragma omp target update to(u[0:1])
#pragma omp target update to(u[n-1:1])
}

int main(void)
{
    int n = 34;
    double *u = calloc(n, sizeof(double)), sum = 0.0;
    u[1] = 1.0;
#pragma omp target data map(tofrom: u[0:n])
    for (int t = 0; t < 5; t++) {
#pragma omp target teams distribute parallel for
        for (int i = 1; i < n - 1; i++)
            u[i] += 1.0;
        exchange(u, n);
    }
    for (int i = 1; i < n - 1; i++)
        sum += u[i];
    free(u);
    return sum != 161.0;
}
