// One element of the loop's result is read right after it.
#include <stdio.h>
#define N 120

int main(void)
{
    int a[N], error = 0;
#pragma omp target map(from: a) map(tofrom: error)
#pragma omp parallel
    {
#pragma omp for nowait //@ bad good2 // or-here
#pragma omp for //@ good
        for (int i = 0; i < N; i++)
            a[i] = 7 * i; // expect: race
#pragma omp barrier //@ good2
#pragma omp single
        error = a[N - 1] != 7 * (N - 1); // or-here
    }
    return error;
}
