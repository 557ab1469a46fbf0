// Two asynchronous regions write the same array.
#include <stdio.h>
#define N 32

int main(void)
{
    int v[N];
    for (int i = 0; i < N; i++)
        v[i] = 0;
#pragma omp target enter data map(to: v)
#pragma omp target nowait // or-here
    for (int i = 0; i < N / 2; i++)
        v[i] += 1; // or-here
#pragma omp target nowait // expect: race
    for (int i = 0; i < N; i++) //@ bad
    for (int i = N / 2; i < N; i++) //@ good
        v[i] += 1; // or-here
#pragma omp taskwait
#pragma omp target exit data map(from: v)
    return v[N - 1] != 1;
}
