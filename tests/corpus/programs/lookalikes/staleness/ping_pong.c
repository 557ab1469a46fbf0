// Two buffers swap roles; the number of steps is known at run time only.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = 64, steps = argc > 1 ? atoi(argv[1]) : 7;
    double *a = malloc(n * sizeof(double)), *b = malloc(n * sizeof(double)), *cur = a, *nxt = b;
    for (int i = 0; i < n; i++)
        a[i] = b[i] = 0.0;
#pragma omp target data map(tofrom: a[0:n], b[0:n])
    {
        for (int s = 0; s < steps; s++) {
#pragma omp target teams distribute parallel for
            for (int i = 0; i < n; i++)
                nxt[i] = cur[i] + 1.0;
            double *t = cur;
            cur = nxt;
            nxt = t;
        }
    }
    int wrong = cur[n - 1] != steps;
    free(a);
    free(b);
    return wrong;
}
