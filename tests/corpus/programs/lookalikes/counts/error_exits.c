// The program ends with exit() on errors: what is on the device then is nobody's problem.
#include <stdio.h>
#include <stdlib.h>

static double *get(int n)
{
    double *p = malloc(n * sizeof(double));
    if (!p) {
        fprintf(stderr, "no memory\n");
        exit(EXIT_FAILURE);
    }
    return p;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 10;
    double *a = get(n);
    for (int i = 0; i < n; i++)
        a[i] = i;
#pragma omp target enter data map(to: a[0:n])
    if (n < 0)
        exit(EXIT_FAILURE);
    double *b = get(n);
#pragma omp target map(from: b[0:n])
    for (int i = 0; i < n; i++)
        b[i] = a[i];
#pragma omp target exit data map(delete: a[0:n])
    int wrong = b[n - 1] != n - 1;
    free(a);
    free(b);
    return wrong;
}
