// More is mapped than the kernel needs: no error.
#include <stdio.h>
#define N 100

static int data[N];

int main(void)
{
    int first = -1, used = N / 3;
    for (int i = 0; i < N; i++)
        data[i] = i;
#pragma omp target map(to: data) map(from: first)
    {
        first = 0;
        for (int i = 0; i < used; i++)
            first += data[i] > 30;
    }
    return first != 2;
}
