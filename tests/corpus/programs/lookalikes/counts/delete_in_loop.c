// Every round of the loop maps and unmaps its own chunk; the last one is shorter.
#include <stdio.h>
#include <stdlib.h>
#define CHUNK 32

int main(void)
{
    int n = 100, *v = malloc(n * sizeof(int)), wrong = 0;
    for (int i = 0; i < n; i++)
        v[i] = i;
    for (int at = 0; at < n; at += CHUNK) {
        int len = n - at < CHUNK ? n - at : CHUNK;
        int *c = v + at;
#pragma omp target enter data map(to: c[0:len])
#pragma omp target
        for (int i = 0; i < len; i++)
            c[i] = -c[i];
#pragma omp target exit data map(from: c[0:len]) //@ good
#pragma omp target update from(c[0:len]) //@ good2
#pragma omp target exit data map(delete: c[0:len]) //@ good2
    }
    for (int i = 0; i < n; i++)
        wrong |= v[i] != -i;
    free(v);
    return wrong;
}
