// A scalar that a kernel both reads and writes.
#include <stdio.h>

static int count_above(const int *v, int n, int limit)
{
    int count = 0;
#pragma omp target map(to: v[0:n], limit) map(from: count) //@ bad // expect: mapping
#pragma omp target map(to: v[0:n], limit) map(tofrom: count) //@ good
#pragma omp target map(to: v[0:n], limit) map(from: count) //@ good2
    {
        count = 0; //@ good2
        for (int i = 0; i < n; i++)
            if (v[i] > limit)
                count++; // or-here
    }
    return count;
}

int main(void)
{
    int v[50];
    for (int i = 0; i < 50; i++)
        v[i] = i;
    int got = count_above(v, 50, 40);
    printf("%d above\n", got);
    return got != 9;
}
