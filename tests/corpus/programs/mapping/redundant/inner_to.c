// The kernel maps again what the region around it has mapped: nothing moves, the clause says otherwise.
#include <stdio.h>
#define N 50

int main(void)
{
    float a[N], b[N];
    for (int i = 0; i < N; i++)
        a[i] = (float)i;
#pragma omp target data map(to: a) map(from: b) // or-here
    {
#pragma omp target update to(a) //@ bad // expect: hint
#pragma omp target
        for (int i = 0; i < N; i++)
            b[i] = a[i];
        a[0] = 1.0f; //@ good
#pragma omp target update to(a) //@ good
#pragma omp target //@ good
        b[0] = a[0] - 1.0f; //@ good
    }
    return b[N - 1] != N - 1 || b[0] != 0.0f;
}
