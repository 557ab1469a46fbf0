// A vector that grows.
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int cap = 16, n = 0;
    int *v = malloc(cap * sizeof *v);
    for (int i = 0; i < 40; i++) {
        if (n == cap) {
            cap *= 2;
            int *w = realloc(v, cap * sizeof *w);
            if (!w) { free(v); return 1; }
            v = w;
        }
        v[n++] = i;
    }
    long s = 0;
#pragma omp target teams distribute parallel for reduction(+: s) map(tofrom: s) map(to: v[0:n]) //@ good
#pragma omp target teams distribute parallel for reduction(+: s) map(tofrom: s) map(to: v[0:n / 2]) //@ bad // expect: mapping [bad]
#pragma omp target teams distribute parallel for reduction(+: s) map(tofrom: s) map(to: v) //@ bad2 // expect: mapping [bad2]
#pragma omp target teams distribute parallel for reduction(+: s) map(tofrom: s) map(alloc: v[0:n]) //@ bad3 // expect: mapping [bad3]
    for (int i = 0; i < n; i++) s += v[i]; // expect: mapping [bad bad2 bad3]
    printf("%ld\n", s);
    free(v);
    return 0;
}
