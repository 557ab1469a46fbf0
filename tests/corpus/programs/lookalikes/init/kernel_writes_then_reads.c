// `from` data that each iteration writes first and reads then.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 20;
    double *m = malloc(n * n * sizeof(double)), *norm = malloc(n * sizeof(double));
#pragma omp target teams distribute parallel for map(from: m[0:n*n], norm[0:n])
    for (int i = 0; i < n; i++) {
        double *row = m + i * n;
        for (int j = 0; j < n; j++)
            row[j] = 1.0;
        norm[i] = 0.0;
        for (int j = 0; j < n; j++)
            norm[i] += row[j] * m[i * n + j];
    }
    int wrong = norm[n - 1] != n;
    free(m);
    free(norm);
    return wrong;
}
