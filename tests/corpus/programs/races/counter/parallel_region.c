// Each thread of a kernel's team adds its share.
#include <stdio.h>
#include <omp.h>
#define N 400

int main(void)
{
    int v[N], total = 0;
    for (int i = 0; i < N; i++)
        v[i] = 1;
#pragma omp target map(to: v) map(tofrom: total)
#pragma omp parallel num_threads(4)
    {
        int mine = 0;
#pragma omp for
        for (int i = 0; i < N; i++)
            mine += v[i];
#pragma omp critical //@ good
#pragma omp atomic //@ good2
        total += mine; // expect: race
    }
    return total != N;
}
