// An asynchronous update and a dependence to the host task that reads.
#include <stdio.h>
#define N 20

int main(void)
{
    int v[N] = { 0 }, s = 0;
#pragma omp target data map(tofrom: v)
    {
#pragma omp target nowait depend(out: v)
        for (int i = 0; i < N; i++)
            v[i] = i;
#pragma omp target update from(v) nowait depend(inout: v)
#pragma omp task shared(v, s) depend(in: v)
        for (int i = 0; i < N; i++)
            s += v[i];
#pragma omp taskwait
    }
    return s != 190;
}
