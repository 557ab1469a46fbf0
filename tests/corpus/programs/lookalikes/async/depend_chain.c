// A chain of asynchronous regions, ordered by dependences.
#include <stdio.h>
#define N 50

int main(void)
{
    int a[N], b[N], sum = 0;
    for (int i = 0; i < N; i++)
        a[i] = 1;
#pragma omp target enter data map(to: a) map(alloc: b) nowait depend(out: a, b)
#pragma omp target nowait depend(in: a) depend(out: b)
    for (int i = 0; i < N; i++)
        b[i] = 2 * a[i];
#pragma omp target nowait depend(inout: b)
    for (int i = 0; i < N; i++)
        b[i] += 1;
#pragma omp target exit data map(from: b) map(release: a) nowait depend(inout: a, b)
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        sum += b[i];
    return sum != 3 * N;
}
