// The sum stays on the device.
#include <stdio.h>
#include <stdlib.h>

static int check(const float *c, int n)
{
    for (int i = 0; i < n; i++)
        if (c[i] != 3.0f * i)
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    float *a = malloc(sizeof(float) * n), *b = malloc(sizeof(float) * n), *c = malloc(sizeof(float) * n);
    if (!a || !b || !c)
        return 2;
    for (int i = 0; i < n; i++) {
        a[i] = (float)i;
        b[i] = 2.0f * i;
        c[i] = 0.0f;
    }
#pragma omp target data map(to: a[0:n], b[0:n], c[0:n]) //@ bad // expect: mapping
#pragma omp target data map(to: a[0:n], b[0:n]) map(alloc: c[0:n]) //@ bad2 // expect: mapping
#pragma omp target data map(to: a[0:n], b[0:n]) map(tofrom: c[0:n]) //@ good
#pragma omp target data map(to: a[0:n], b[0:n]) map(alloc: c[0:n]) //@ good2
    {
#pragma omp target teams distribute parallel for
        for (int i = 0; i < n; i++)
            c[i] = a[i] + b[i]; // or-here
#pragma omp target update from(c[0:n]) //@ good2
    }
    int wrong = check(c, n); // or-here
    puts(wrong ? "FAILED" : "ok");
    free(a);
    free(b);
    free(c);
    return wrong;
}
