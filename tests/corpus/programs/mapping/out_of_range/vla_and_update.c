// An update of more than a VLA has.
#include <stdio.h>

static int work(int n)
{
    int v[n], ok = 1;
    for (int i = 0; i < n; i++)
        v[i] = 0;
#pragma omp target data map(tofrom: v)
    {
        for (int i = 0; i < n; i++)
            v[i] = i;
#pragma omp target update to(v[0:n+1]) //@ bad // expect: mapping
#pragma omp target update to(v[0:n]) //@ good
#pragma omp target
        for (int i = 0; i < n; i++)
            v[i] += 1;
    }
    for (int i = 0; i < n; i++)
        ok &= v[i] == i + 1;
    return ok;
}

int main(void)
{
    return !work(21);
}
