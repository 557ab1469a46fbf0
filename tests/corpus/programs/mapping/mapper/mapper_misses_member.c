// The mapper maps one of the two members that the kernel follows.
// needs: clang (gcc 12 does not know this)
#include <stdio.h>
#include <stdlib.h>

typedef struct { int n; int *key; int *val; } dict;
#pragma omp declare mapper(dict d) map(d.n, d.key[0:d.n]) //@ bad // or-here
#pragma omp declare mapper(dict d) map(d.n, d.key[0:d.n], d.val[0:d.n]) //@ good

static int find(dict d, int k)
{
    int r = -1;
#pragma omp target map(to: d) map(tofrom: r) // expect: mapping
    for (int i = 0; i < d.n; i++)
        if (d.key[i] == k)
            r = d.val[i]; // or-here
    return r;
}

int main(void)
{
    dict d = { 3, malloc(12), malloc(12) };
    for (int i = 0; i < 3; i++) {
        d.key[i] = i;
        d.val[i] = 100 * i;
    }
    int r = find(d, 2);
    free(d.key);
    free(d.val);
    return r != 200;
}
