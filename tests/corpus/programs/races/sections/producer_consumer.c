// The second section reads what the first one writes.
#include <stdio.h>
#define N 30

int main(void)
{
    int a[N], sum = 0;
#pragma omp parallel
    {
#pragma omp sections
        {
#pragma omp section
            for (int i = 0; i < N; i++)
                a[i] = i; // expect: race
#pragma omp section //@ bad
            for (int i = 0; i < N; i++) //@ bad
                sum += a[i]; //@ bad // or-here
        }
#pragma omp single //@ good
        for (int i = 0; i < N; i++) //@ good
            sum += a[i]; //@ good
    }
    return sum != N * (N - 1) / 2;
}
