// Zero-length sections: the pointer becomes the device's when the data is present.
#include <stdio.h>
#include <stdlib.h>

static void fill(int *p, int n)
{
#pragma omp target map(to: p[:0])
    for (int i = 0; i < n; i++)
        p[i] = i + 1;
}

int main(void)
{
    int n = 9, *p = calloc(n, sizeof(int));
#pragma omp target data map(from: p[0:n])
    fill(p, n);
    int wrong = p[8] != 9;
    free(p);
    return wrong;
}
