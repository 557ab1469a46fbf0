// In-place reversal: each pair belongs to one iteration.
#include <stdio.h>
#include <stdlib.h>

static void reverse(int *a, int n)
{
#pragma omp target teams distribute parallel for map(tofrom: a[0:n])
    for (int i = 0; i < n / 2; i++) {
        int t = a[i];
        a[i] = a[n - 1 - i];
        a[n - 1 - i] = t;
    }
}

int main(void)
{
    int n = 31, *a = malloc(n * sizeof(int)), wrong = 0;
    for (int i = 0; i < n; i++)
        a[i] = i;
    reverse(a, n);
    for (int i = 0; i < n; i++)
        wrong |= a[i] != n - 1 - i;
    free(a);
    return wrong;
}
