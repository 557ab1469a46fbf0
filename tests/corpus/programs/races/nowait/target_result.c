// The result of an asynchronous region is read before it is there.
#include <stdio.h>
#define N 1000

int main(void)
{
    int a[N], s = 0;
    for (int i = 0; i < N; i++)
        a[i] = 0;
#pragma omp target teams distribute parallel for nowait map(tofrom: a) // or-here
    for (int i = 0; i < N; i++)
        a[i] = 1; // or-here
#pragma omp taskwait //@ good
    for (int i = 0; i < N; i++)
        s += a[i]; // expect: race
#pragma omp taskwait //@ bad
    return s != N;
}
