// A pointer has no length that could be left out.
#include <stdio.h>

static int sum(const int *v, int n)
{
    int s = 0;
#pragma omp target map(to: v[0:]) map(tofrom: s) //@ bad // expect: mapping
#pragma omp target map(to: v[0:n]) map(tofrom: s) //@ good
    for (int i = 0; i < n; i++)
        s += v[i];
    return s;
}

int main(void)
{
    int v[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, doubled = 0;
#pragma omp target map(to: v[0:]) map(tofrom: doubled)
    for (int i = 0; i < 9; i++)
        doubled += 2 * v[i];
    return sum(v, 9) != 45 || doubled != 90;
}
