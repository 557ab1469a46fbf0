// a[i + 1] is read only where it exists.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 80, *a = malloc(n * sizeof(int)), *d = malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        a[i] = i * i;
#pragma omp target teams distribute parallel for map(to: a[0:n]) map(from: d[0:n])
    for (int i = 0; i < n; i++) {
        if (i + 1 < n)
            d[i] = a[i + 1] - a[i];
        else
            d[i] = 0;
        d[i] += i > 0 ? a[i - 1] - a[i - 1] : 0;
    }
    int wrong = d[0] != 1 || d[n - 1] != 0;
    free(a);
    free(d);
    return wrong;
}
