// A map clause of the region does not reach the global in a function that the region calls.
#include <stdio.h>
#define N 10

int limit = 5;
#pragma omp declare target to(limit) //@ good

static int above(int v)
{
    return v > limit; // expect: mapping
}

static int count(const int *v, int lim)
{
    int c = 0;
    limit = lim;
#pragma omp target map(to: v[0:N], limit) map(tofrom: c) //@ bad // or-here
#pragma omp target update to(limit) //@ good
#pragma omp target map(to: v[0:N]) map(tofrom: c) //@ good
    for (int i = 0; i < N; i++)
        c += above(v[i]); // or-here
    return c;
}

int main(void)
{
    int v[N];
    for (int i = 0; i < N; i++)
        v[i] = i;
    return count(v, 7) != 2;
}
