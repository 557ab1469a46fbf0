// A part of the section is present; `present` needs all of it.
// needs: clang (gcc 12 does not know this)
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 64, *v = calloc(n, sizeof(int));
#pragma omp target enter data map(to: v[0:32])
#pragma omp target map(present, to: v[0:64]) //@ bad // expect: mapping
#pragma omp target map(present, to: v[0:32]) //@ good
    v[31] = 4;
#pragma omp target exit data map(from: v[0:32])
    int wrong = v[31] != 4;
    free(v);
    return wrong;
}
