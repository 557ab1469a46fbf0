// Each element needs the one before it.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 100, *a = malloc(n * sizeof(int)), *b = malloc(n * sizeof(int)), wrong = 0;
    for (int i = 0; i < n; i++)
        a[i] = b[i] = i;
#pragma omp target teams distribute parallel for map(tofrom: a[0:n]) map(to: b[0:n])
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] + 1; //@ bad // expect: race
        a[i] = b[i - 1] + 1; //@ good
    for (int i = 0; i < n; i++)
        wrong |= a[i] != i;
    free(a);
    free(b);
    return wrong;
}
