// A longer section while a part of it is present.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 100, *v = malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        v[i] = 1;
#pragma omp target enter data map(to: v[0:50]) //@ bad // or-here
#pragma omp target enter data map(to: v[0:n]) //@ good
#pragma omp target map(tofrom: v[0:n]) //@ bad // expect: mapping
#pragma omp target map(tofrom: v[0:n/2]) //@ good
    for (int i = 0; i < n; i++)
        v[i] += 1; // or-here
#pragma omp target exit data map(from: v[0:50]) //@ bad // or-here
#pragma omp target exit data map(from: v[0:n]) //@ good
    int wrong = v[99] != 2;
    free(v);
    return wrong;
}
