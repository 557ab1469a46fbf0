// The update comes before the host has written.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    const int n = 30;
    int *perm = malloc(n * sizeof(int)), *res = malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        perm[i] = i;
#pragma omp target enter data map(to: perm[0:n]) map(alloc: res[0:n])
#pragma omp target update to(perm[0:n]) //@ bad // or-here
    for (int i = 0; i < n; i++)
        perm[i] = n - 1 - i; // or-here
#pragma omp target update to(perm[0:n]) //@ good
#pragma omp target // expect: mapping
    for (int i = 0; i < n; i++)
        res[i] = perm[i]; // or-here
#pragma omp target exit data map(from: res[0:n]) map(delete: perm[0:n])
    int wrong = res[0] != n - 1;
    free(perm);
    free(res);
    return wrong;
}
