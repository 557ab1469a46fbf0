// An update with `present` of an array that is not mapped.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 10, *a = calloc(n, sizeof(int)), *b = calloc(n, sizeof(int));
#pragma omp target enter data map(to: a[0:n])
#pragma omp target
    a[3] = 5;
#pragma omp target update from(present: b[0:n]) //@ bad // expect: mapping
#pragma omp target update from(a[0:n]) //@ good
    int wrong = a[3] != 5; // or-here
#pragma omp target exit data map(delete: a[0:n])
    free(a);
    free(b);
    return wrong;
}
