// The second loop reads what other threads write in the first.
#include <stdio.h>
#define N 100

int main(void)
{
    int a[N], b[N];
#pragma omp parallel
    {
#pragma omp for nowait //@ bad // or-here
#pragma omp for //@ good
#pragma omp for schedule(static) nowait //@ good2
        for (int i = 0; i < N; i++)
            a[i] = i; // expect: race
#pragma omp for //@ bad good
#pragma omp for schedule(static) //@ good2
        for (int i = 0; i < N; i++)
            b[i] = a[N - 1 - i]; //@ bad good // or-here
            b[i] = a[i]; //@ good2
    }
    return b[N / 2] != N / 2 - 1 && b[N / 2] != N / 2;
}
