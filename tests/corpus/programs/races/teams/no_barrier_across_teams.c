// Two `distribute` loops in one `teams` region: no team waits for another.
#include <stdio.h>
#define N 256

int main(void)
{
    int a[N], b[N], wrong = 0;
    for (int i = 0; i < N; i++)
        b[i] = 0;
#pragma omp target map(from: a) map(tofrom: b) //@ bad good2
#pragma omp teams num_teams(4) //@ bad
#pragma omp teams num_teams(1) //@ good2
#pragma omp target data map(alloc: a) map(tofrom: b) //@ good
    {
#pragma omp target teams //@ good
#pragma omp distribute parallel for
        for (int i = 0; i < N; i++)
            a[i] = i; // expect: race
#pragma omp target teams //@ good
#pragma omp distribute parallel for
        for (int i = 0; i < N; i++)
            b[i] = a[N - 1 - i]; // or-here
    }
    for (int i = 0; i < N; i++)
        wrong |= b[i] != N - 1 - i;
    return wrong;
}
