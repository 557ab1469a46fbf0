// An update, and then an exit that copies the same again.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 20, *v = calloc(n, sizeof(int));
#pragma omp target enter data map(to: v[0:n])
#pragma omp target
    for (int i = 0; i < n; i++)
        v[i] = i;
#pragma omp target update from(v[0:n]) //@ bad // expect: hint
#pragma omp target exit data map(from: v[0:n]) //@ bad // or-here
#pragma omp target update from(v[0:n]) //@ good
#pragma omp target exit data map(delete: v[0:n]) //@ good
    int wrong = v[19] != 19;
    free(v);
    return wrong;
}
