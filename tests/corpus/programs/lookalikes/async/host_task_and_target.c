// A host task and a target task are ordered by a dependence in both directions.
#include <stdio.h>
#define N 16

int main(void)
{
    double in[N], out[N], s = 0.0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(in) depend(out: in)
        for (int i = 0; i < N; i++)
            in[i] = i;
#pragma omp target nowait map(to: in) map(from: out) depend(in: in) depend(out: out)
        for (int i = 0; i < N; i++)
            out[i] = 2.0 * in[i];
#pragma omp task shared(out, s) depend(in: out)
        for (int i = 0; i < N; i++)
            s += out[i];
#pragma omp taskwait
    }
    return s != N * (N - 1);
}
