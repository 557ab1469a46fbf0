// i * (i + 1) / 2 + j: no two pairs share an element.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 20, size = n * (n + 1) / 2, wrong = 0;
    int *t = malloc(size * sizeof(int));
#pragma omp target teams distribute parallel for map(from: t[0:size])
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            t[i * (i + 1) / 2 + j] = i - j;
    for (int i = 0; i < n; i++)
        wrong |= t[i * (i + 1) / 2 + i] != 0 || t[i * (i + 1) / 2] != i;
    free(t);
    return wrong;
}
