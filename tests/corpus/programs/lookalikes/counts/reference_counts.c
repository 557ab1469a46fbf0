// Two users of the same data enter and leave in any order.
#include <stdio.h>
#include <stdlib.h>

static void acquire(int *p, int n)
{
#pragma omp target enter data map(to: p[0:n])
}

static void release(int *p, int n)
{
#pragma omp target exit data map(from: p[0:n])
}

static void increment(int *p, int n)
{
    acquire(p, n);
#pragma omp target teams distribute parallel for map(tofrom: p[0:n])
    for (int i = 0; i < n; i++)
        p[i]++;
    release(p, n);
}

int main(void)
{
    int n = 30, *p = calloc(n, sizeof(int));
    increment(p, n);
    acquire(p, n);
    increment(p, n);
    increment(p, n);
    release(p, n);
    int wrong = p[29] != 3;
    free(p);
    return wrong;
}
