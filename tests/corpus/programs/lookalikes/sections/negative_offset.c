// A pointer into the middle, used with negative indices; the section starts before it.
#include <stdio.h>
#include <stdlib.h>
#define R 2

int main(void)
{
    int n = 30;
    double *block = calloc(n + 2 * R, sizeof(double)), *u = block + R, *d = malloc(n * sizeof(double));
    for (int i = -R; i < n + R; i++)
        u[i] = i;
#pragma omp target teams distribute parallel for map(to: u[-R:n+2*R]) map(from: d[0:n])
    for (int i = 0; i < n; i++)
        d[i] = u[i + R] - u[i - R];
    int wrong = d[0] != 4.0 || d[n - 1] != 4.0;
    free(block);
    free(d);
    return wrong;
}
