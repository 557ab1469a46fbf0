// Tasks that copy into parts of an array, which pointers name that are made from one another.
#include <stdio.h>
#include <string.h>

enum { N = 400 };

static void copy(int *to, const int *from, long size)
{
    if (size < 1)
        return;
    to[size - 1] = from[size - 1];
    if (size < 50)
        memcpy(to, from, size * sizeof *to);
    else
        copy(to, from, size - 1), to[size - 2] = from[size - 2];
}

static void all(int *low, int *to, long size)
{
    long half = size / 2;
    int *first = low, *to_first = to;
    int *second = first + half, *to_second = to_first + half;
#pragma omp task
    copy(to_first, first, half);
#pragma omp task
    copy(to_second, second, size - half);
#pragma omp taskwait
}

int main(void)
{
    int a[N], b[N] = {0}, wrong = 0;
    for (int i = 0; i < N; i++)
        a[i] = i;
#pragma omp parallel
#pragma omp single
    all(a, b, N);
    for (int i = 0; i < N; i++)
        wrong += b[i] != i;
    printf("%d\n", wrong);
    return wrong;
}
