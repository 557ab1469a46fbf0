// enter and exit under the same flag.
#include <stdio.h>
#include <stdlib.h>

static int process(double *v, int n, int resident)
{
    if (!resident) {
#pragma omp target enter data map(to: v[0:n])
    }
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        v[i] += 1.0;
    if (!resident) {
#pragma omp target exit data map(from: v[0:n])
    }
    return 0;
}

int main(void)
{
    int n = 40;
    double *v = calloc(n, sizeof(double));
    process(v, n, 0);
#pragma omp target enter data map(to: v[0:n])
    process(v, n, 1);
    process(v, n, 1);
#pragma omp target exit data map(from: v[0:n])
    int wrong = v[7] != 3.0;
    free(v);
    return wrong;
}
