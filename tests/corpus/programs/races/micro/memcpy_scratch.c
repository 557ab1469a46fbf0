#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#define N 200
#define K 16
static void blur(double *rows, int n, int k)
{
    double *line = malloc(k * sizeof *line); //@ bad
    #pragma omp parallel for // or-here
    for (int i = 0; i < n; i++) {
        double *line = malloc(k * sizeof *line); //@ good
        memcpy(line, rows + i * k, k * sizeof *line); // expect: race
        for (int j = 1; j < k - 1; j++)
            rows[i * k + j] = (line[j - 1] + line[j] + line[j + 1]) / 3; // or-here
        free(line); //@ good
    }
    free(line); //@ bad
}
int main(void)
{
    static double a[N * K];
    blur(a, N, K);
    printf("%g\n", a[4]);
    return 0;
}
