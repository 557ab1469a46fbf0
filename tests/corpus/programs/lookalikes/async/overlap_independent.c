// The host works on other data while the region runs.
#include <stdio.h>
#define N 70

int main(void)
{
    double dev[N], host[N], s = 0.0;
    for (int i = 0; i < N; i++)
        dev[i] = host[i] = 1.0;
#pragma omp target nowait map(tofrom: dev)
    for (int i = 0; i < N; i++)
        dev[i] += 1.0;
    for (int i = 0; i < N; i++)
        host[i] += 2.0;
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        s += dev[i] + host[i];
    return s != 5.0 * N;
}
