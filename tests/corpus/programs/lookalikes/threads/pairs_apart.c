// Pairs that have nothing in common: no two iterations update one element.
#include <stdlib.h>

int main(void)
{
    int n = 1024;
    double *v = malloc(n * sizeof *v), *d = malloc(n / 2 * sizeof *d), sum = 0.0;
    int *left = malloc(n / 2 * sizeof *left), *right = malloc(n / 2 * sizeof *right);
    for (int i = 0; i < n; i++)
        v[i] = 1.0;
    for (int i = 0; i < n / 2; i++) {
        left[i] = 2 * i;
        right[i] = 2 * i + 1;
        d[i] = i;
    }
#pragma omp parallel for
    for (int i = 0; i < n / 2; i++) {
        v[left[i]] -= d[i];
        v[right[i]] += d[i];
    }
    for (int i = 0; i < n; i++)
        sum += v[i];
    return sum != n;
}
