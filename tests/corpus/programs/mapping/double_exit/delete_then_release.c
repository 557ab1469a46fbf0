// `delete` makes the count zero, whatever it was.
#include <stdio.h>
#include <stdlib.h>

static void use(float *p, int n)
{
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        p[i] += 1.0f;
}

int main(void)
{
    int n = 32;
    float *p = calloc(n, sizeof(float));
#pragma omp target enter data map(to: p[0:n])
#pragma omp target enter data map(to: p[0:n])
    use(p, n);
#pragma omp target update from(p[0:n])
#pragma omp target exit data map(delete: p[0:n]) //@ bad
#pragma omp target exit data map(release: p[0:n]) //@ good
#pragma omp target exit data map(release: p[0:n]) // expect: mapping
    float got = p[n - 1];
    free(p);
    return got != 1.0f;
}
