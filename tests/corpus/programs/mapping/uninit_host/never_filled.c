// malloc, map(to:), read on the device: nothing ever wrote the values.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 30, wrong = 0;
    double *w = malloc(n * sizeof(double)), *out = malloc(n * sizeof(double)); //@ bad
    double *w = calloc(n, sizeof(double)), *out = malloc(n * sizeof(double)); //@ good
    double *w = malloc(n * sizeof(double)), *out = malloc(n * sizeof(double)); //@ good2
    for (int i = 0; i < n; i++) //@ good2
        w[i] = 0.0; //@ good2
#pragma omp target map(to: w[0:n]) map(from: out[0:n]) // expect: mapping
    for (int i = 0; i < n; i++)
        out[i] = w[i] + 1.0; // or-here
    for (int i = 0; i < n; i++)
        wrong |= out[i] != 1.0;
    free(w);
    free(out);
    return wrong;
}
