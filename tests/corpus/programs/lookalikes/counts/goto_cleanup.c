// Error paths with goto; each label undoes what was done so far.
#include <stdio.h>
#include <stdlib.h>

static int solve(int n, double *out)
{
    int status = -1;
    double *a = malloc(n * sizeof(double)), *b = NULL;
    if (!a)
        goto no_a;
    b = malloc(n * sizeof(double));
    if (!b)
        goto no_b;
    for (int i = 0; i < n; i++)
        a[i] = b[i] = i;
#pragma omp target enter data map(to: a[0:n])
    if (n > 1000)
        goto unmap_a;
#pragma omp target enter data map(to: b[0:n])
#pragma omp target
    for (int i = 0; i < n; i++)
        b[i] += a[i];
#pragma omp target exit data map(from: b[0:n])
    *out = b[n - 1];
    status = 0;
unmap_a:;
#pragma omp target exit data map(release: a[0:n])
    free(b);
no_b:
    free(a);
no_a:
    return status;
}

int main(void)
{
    double r = 0.0;
    int failed = solve(2000, &r) != -1;
    return failed || solve(10, &r) != 0 || r != 18.0;
}
