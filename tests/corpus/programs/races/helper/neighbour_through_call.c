// The helper gets the address of the next element.
#include <stdio.h>
#define N 64

static void relax(int *p, const int *q)
{
    *p = (*p + *q) / 2; // or-here
}

int main(void)
{
    int a[N + 1], b[N + 1];
    for (int i = 0; i <= N; i++)
        a[i] = b[i] = 8;
#pragma omp target teams distribute parallel for map(tofrom: a) map(to: b)
    for (int i = 0; i < N; i++)
        relax(&a[i], &a[i + 1]); //@ bad // expect: race
        relax(&a[i], &b[i + 1]); //@ good
    return a[0] != 8;
}
