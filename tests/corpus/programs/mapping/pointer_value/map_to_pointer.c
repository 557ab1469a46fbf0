// `map(to: p)` maps the pointer, not what it points to.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 100;
    float *p = malloc(n * sizeof(float)), *q = malloc(n * sizeof(float));
    for (int i = 0; i < n; i++)
        p[i] = (float)i;
#pragma omp target teams distribute parallel for map(to: p) map(from: q[0:n]) //@ bad // expect: mapping
#pragma omp target teams distribute parallel for map(to: p[0:n]) map(from: q[0:n]) //@ good
#pragma omp target data map(to: p[0:n]) //@ good2
#pragma omp target teams distribute parallel for map(to: p) map(from: q[0:n]) //@ good2
    for (int i = 0; i < n; i++)
        q[i] = p[i] + 1.0f; // or-here
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong |= q[i] != i + 1.0f;
    free(p);
    free(q);
    return wrong;
}
