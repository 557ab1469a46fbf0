// The host keeps a copy of its own: it saved the old values before the region.
#include <stdio.h>
#include <string.h>
#define N 12

int main(void)
{
    int v[N], old[N], changed = 0;
    for (int i = 0; i < N; i++)
        v[i] = i;
    memcpy(old, v, sizeof v);
#pragma omp target data map(tofrom: v)
    {
#pragma omp target
        for (int i = 0; i < N; i += 2)
            v[i] = -1;
        for (int i = 0; i < N; i++)
            changed += old[i] == i;
    }
    for (int i = 0; i < N; i++)
        changed += v[i] != old[i];
    return changed != N + 6;
}
