// `exit data map(from:)` copies only when the count becomes zero.
#include <stdio.h>
#include <stdlib.h>

static int *acquire(int *p, int n)
{
#pragma omp target enter data map(to: p[0:n]) // or-here
    return p;
}

int main(void)
{
    int n = 5, *p = calloc(5, sizeof(int));
    acquire(p, n); // or-here
    acquire(p, n); // or-here
#pragma omp target
    for (int i = 0; i < n; i++)
        p[i] = 9; // or-here
#pragma omp target exit data map(from: p[0:n]) //@ bad // expect: mapping
#pragma omp target exit data map(always, from: p[0:n]) //@ good
#pragma omp target exit data map(release: p[0:n]) //@ good2
#pragma omp target exit data map(from: p[0:n]) //@ good2
    int got = p[4]; // or-here
#pragma omp target exit data map(release: p[0:n]) //@ bad good
    free(p);
    return got != 9;
}
