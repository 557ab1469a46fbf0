// Inner regions map again what is present: their clauses do nothing, and nothing is needed.
#include <stdio.h>
#include <stdlib.h>

static void smooth(double *in, double *out, int n)
{
#pragma omp target data map(to: in[0:n]) map(from: out[0:n])
    {
#pragma omp target teams distribute parallel for map(to: in[0:n]) map(from: out[0:n])
        for (int i = 0; i < n; i++)
            out[i] = i > 0 && i < n - 1 ? (in[i - 1] + in[i + 1]) / 2 : in[i];
    }
}

int main(void)
{
    int n = 30;
    double *a = malloc(n * sizeof(double)), *b = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++)
        a[i] = i;
    smooth(a, b, n);
#pragma omp target data map(tofrom: a[0:n], b[0:n])
    {
        smooth(a, b, n);
        smooth(b, a, n);
    }
    int wrong = a[7] != 7.0 || b[29] != 29.0;
    free(a);
    free(b);
    return wrong;
}
