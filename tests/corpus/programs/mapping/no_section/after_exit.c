// The second kernel comes after the data has left.
#include <stdio.h>
#include <stdlib.h>

static void twice(int *p, int n)
{
#pragma omp target teams distribute parallel for // expect: mapping
    for (int i = 0; i < n; i++)
        p[i] *= 2; // or-here
}

int main(void)
{
    int n = 10, *p = malloc(10 * sizeof(int));
    for (int i = 0; i < n; i++)
        p[i] = 1;
#pragma omp target enter data map(to: p[0:n])
    twice(p, n);
#pragma omp target exit data map(from: p[0:n]) //@ bad // or-here
    twice(p, n); // or-here
#pragma omp target exit data map(from: p[0:n]) //@ good
    int wrong = p[9] != 4;
    free(p);
    return wrong;
}
