// Indices that cannot leave the section: modulo, halves, minimum, shifts.
#include <stdio.h>
#include <stdlib.h>
#define MIN(a, b) ((a) < (b) ? (a) : (b))

int main(void)
{
    int n = 16, *small = malloc(n * sizeof(int)), *out = malloc(4 * n * sizeof(int)), wrong = 0;
    for (int i = 0; i < n; i++)
        small[i] = i;
#pragma omp target teams distribute parallel for map(to: small[0:n]) map(from: out[0:4*n])
    for (int i = 0; i < 4 * n; i++) {
        int half = i / 4;
        out[i] = small[i % n] + small[half] + small[MIN(i, n - 1)] + small[i >> 2];
        if (i >= n)
            continue;
        out[i] += small[i] - small[i];
    }
    for (int i = 0; i < 4 * n; i++)
        wrong |= out[i] != i % n + 2 * (i / 4) + MIN(i, n - 1);
    free(small);
    free(out);
    return wrong;
}
