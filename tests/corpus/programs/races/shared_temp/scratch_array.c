// A scratch array for all threads.
#include <stdio.h>
#define N 40
#define K 5

int main(void)
{
    int out[N], wrong = 0;
#pragma omp target map(from: out)
    {
        int work[K];
#pragma omp parallel for //@ bad
#pragma omp parallel for private(work) //@ good
#pragma omp parallel for firstprivate(work) //@ good2
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < K; k++)
                work[k] = i * k; // expect: race
            out[i] = 0;
            for (int k = 0; k < K; k++)
                out[i] += work[k]; // or-here
        }
    }
    for (int i = 0; i < N; i++)
        wrong |= out[i] != 10 * i;
    return wrong;
}
