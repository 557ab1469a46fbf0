// The host reads before the device writes and after the data has come back.
#include <stdio.h>
#define N 10

static int sum(const int *v)
{
    int s = 0;
    for (int i = 0; i < N; i++)
        s += v[i];
    return s;
}

int main(void)
{
    int v[N] = { 1, 1, 1 }, before, after;
#pragma omp target data map(tofrom: v)
    {
        before = sum(v);
#pragma omp target
        for (int i = 0; i < N; i++)
            v[i] = i;
    }
    after = sum(v);
    return before != 3 || after != 45;
}
