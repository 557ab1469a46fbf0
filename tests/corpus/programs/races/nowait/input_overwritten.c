// The input buffer is filled again while the region may still read it.
#include <stdio.h>
#include <stdlib.h>

static void fill(int *p, int n, int v)
{
    for (int i = 0; i < n; i++)
        p[i] = v; // or-here
}

int main(void)
{
    int n = 100, *in = malloc(n * sizeof(int)), *out = calloc(n, sizeof(int));
    fill(in, n, 3);
#pragma omp target nowait map(to: in[0:n]) map(from: out[0:n]) //@ bad // or-here
#pragma omp target map(to: in[0:n]) map(from: out[0:n]) //@ good
    for (int i = 0; i < n; i++)
        out[i] = 2 * in[i]; // or-here
    fill(in, n, 4); // expect: race
#pragma omp taskwait
    int wrong = out[n - 1] != 6;
    free(in);
    free(out);
    return wrong;
}
