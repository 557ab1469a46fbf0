// `[:]` of heap memory.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 8;
    float *f = malloc(n * sizeof(float)), g[8];
    for (int i = 0; i < n; i++)
        f[i] = (float)i;
#pragma omp target map(to: f[:]) map(from: g) //@ bad // expect: mapping
#pragma omp target map(to: f[:n]) map(from: g[:]) //@ good
    for (int i = 0; i < n; i++)
        g[i] = f[i];
    free(f);
    return g[7] != 7.0f;
}
