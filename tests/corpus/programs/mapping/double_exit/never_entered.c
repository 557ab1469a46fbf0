// The exit is there, the enter is not.
#include <stdio.h>
#include <stdlib.h>

static void result(int *r, int n)
{
#pragma omp target exit data map(from: r[0:n]) // expect: mapping
}

int main(void)
{
    int n = 9, *r = malloc(9 * sizeof(int));
    for (int i = 0; i < n; i++)
        r[i] = -1;
#pragma omp target enter data map(to: r[0:n]) //@ good
#pragma omp target map(tofrom: r[0:n])
    for (int i = 0; i < n; i++)
        r[i] = i * i;
    result(r, n); // or-here
    int wrong = r[8] != 64;
    free(r);
    return wrong;
}
