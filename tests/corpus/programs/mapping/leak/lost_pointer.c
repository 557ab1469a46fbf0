// The pointer that knows the device copy is overwritten.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 8, first = 0;
    int *p = calloc(n, sizeof(int));
#pragma omp target enter data map(to: p[0:n]) // expect: mapping
#pragma omp target map(from: first)
    first = p[0] + 5;
#pragma omp target exit data map(delete: p[0:n]) //@ good
    free(p); // or-here
    p = malloc(2 * n * sizeof(int)); // or-here
    for (int i = 0; i < 2 * n; i++)
        p[i] = first;
    int wrong = p[2 * n - 1] != 5;
    free(p);
    return wrong;
}
