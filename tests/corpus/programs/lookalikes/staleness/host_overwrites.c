// The host does not read what the device has: it writes all of it anew.
#include <stdio.h>
#define N 30

int main(void)
{
    int v[N], r = 0;
    for (int i = 0; i < N; i++)
        v[i] = i;
#pragma omp target data map(to: v)
    {
#pragma omp target
        for (int i = 0; i < N; i++)
            v[i] = -1;
        for (int i = 0; i < N; i++)
            v[i] = 2 * i;
        r = v[N - 1];
#pragma omp target update to(v)
#pragma omp target map(tofrom: r)
        r += v[1];
    }
    return r != 60;
}
