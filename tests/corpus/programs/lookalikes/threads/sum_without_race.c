// Sums that only one thread makes: in single, in master, after a guard, in a nested region with its own variable.
#include <stdio.h>
#include <omp.h>
#define N 40

int main(void)
{
    int v[N], a = 0, b = 0, c = 0, d = 0, e = 0;
    for (int i = 0; i < N; i++)
        v[i] = 1;
#pragma omp parallel num_threads(4)
    {
#pragma omp single nowait
        for (int i = 0; i < N; i++)
            a += v[i];
#pragma omp master
        for (int i = 0; i < N; i++)
            b += v[i];
        if (omp_get_thread_num() == 0)
            for (int i = 0; i < N; i++)
                c += v[i];
        int own = 0;
#pragma omp for
        for (int i = 0; i < N; i++)
            own += v[i];
#pragma omp critical
        d += own;
#pragma omp single
        {
            int inner = 0;
#pragma omp parallel for reduction(+: inner)
            for (int i = 0; i < N; i++)
                inner += v[i];
            e += inner;
        }
    }
    return a != N || b != N || c != N || d != N || e != N;
}
