// Rows that are parts of one allocation.
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 8, n = argc > 2 ? atoi(argv[2]) : 12;
    double *data = malloc((size_t)m * n * sizeof *data);
    double **row = malloc(m * sizeof *row);
    for (int i = 0; i < m; i++) row[i] = data + (size_t)i * n;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) row[i][j] = i - j;
    double *sum = malloc(m * sizeof *sum);
#pragma omp target data map(to: data[0:m * n]) map(from: sum[0:m]) //@ good
#pragma omp target data map(to: data[0:m]) map(from: sum[0:m]) //@ bad // expect: mapping [bad]
#pragma omp target data map(to: data[0:m * n]) map(to: sum[0:m]) //@ bad2 // expect: mapping [bad2]
    {
#pragma omp target teams distribute // expect: mapping [bad]
        for (int i = 0; i < m; i++) {
            double s = 0;
#pragma omp parallel for reduction(+: s)
            for (int j = 0; j < n; j++) s += data[i * n + j]; // expect: mapping [bad]
            sum[i] = s;
        }
    }
    double t = 0;
    for (int i = 0; i < m; i++) t += sum[i]; // expect: mapping [bad2]
    printf("%g %g\n", t, row[0][0]);
    free(sum); free(row); free(data);
    return 0;
}
