// The kernel works on a part, through a pointer into the array that is present.
#include <stdio.h>
#include <stdlib.h>

static void shift(int *p, int n)
{
#pragma omp target teams distribute parallel for map(tofrom: p[0:n])
    for (int i = 0; i < n; i++)
        p[i] += 10;
}

int main(void)
{
    int n = 60, *v = calloc(n, sizeof(int));
#pragma omp target data map(tofrom: v[0:n])
    {
        shift(v + 20, 10);
        shift(&v[50], 10);
    }
    int wrong = v[19] != 0 || v[20] != 10 || v[29] != 10 || v[30] != 0 || v[59] != 10;
    free(v);
    return wrong;
}
