// Host and device work on different parts of one array at the same time.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 100, cut = 60, wrong = 0, *v = calloc(n, sizeof(int));
#pragma omp target data map(to: v[0:cut])
    {
#pragma omp target teams distribute parallel for
        for (int i = 0; i < cut; i++)
            v[i] = i;
        for (int i = cut; i < n; i++)
            v[i] = i;
        int last = v[n - 1];
        v[cut] = last - n + 1 + cut;
#pragma omp target update from(v[0:cut])
        for (int i = 0; i < n; i++)
            wrong |= v[i] != i;
    }
    free(v);
    return wrong;
}
