// The inner `from` does not copy: the array is present because of the outer region.
#include <stdio.h>
#define N 33

int main(void)
{
    int r[N] = { 0 }, wrong = 0;
#pragma omp target data map(alloc: r) // or-here
    {
#pragma omp target map(from: r) //@ bad // expect: mapping
#pragma omp target map(always, from: r) //@ good
#pragma omp target map(from: r) //@ good2
        for (int i = 0; i < N; i++)
            r[i] = i; // or-here
#pragma omp target update from(r) //@ good2
    }
    for (int i = 0; i < N; i++)
        wrong |= r[i] != i; // or-here
    return wrong;
}
