// The loop reads one element more than is mapped.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 200;
    double *x = malloc((n + 1) * sizeof(double)), *d = malloc(n * sizeof(double));
    for (int i = 0; i <= n; i++)
        x[i] = (double)i * i;
#pragma omp target teams distribute parallel for map(to: x[0:n]) map(from: d[0:n]) //@ bad // expect: mapping
#pragma omp target teams distribute parallel for map(to: x[0:n+1]) map(from: d[0:n]) //@ good
    for (int i = 0; i < n; i++)
        d[i] = x[i + 1] - x[i]; // or-here
    int wrong = d[n - 1] != 2.0 * n - 1.0;
    free(x);
    free(d);
    printf("%d\n", wrong);
    return wrong;
}
