// With unified shared memory there is one copy. (Needs no run: clang's host device has no such memory.)
// needs: clang
#include <stdio.h>
#include <stdlib.h>
#pragma omp requires unified_shared_memory

int main(void)
{
    int n = 20, *v = malloc(n * sizeof(int)), s = 0;
    for (int i = 0; i < n; i++)
        v[i] = i;
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        v[i] *= 2;
    for (int i = 0; i < n; i++)
        s += v[i];
    v[0] = 7;
#pragma omp target map(tofrom: s)
    s += v[0];
    free(v);
    return s != 387;
}
