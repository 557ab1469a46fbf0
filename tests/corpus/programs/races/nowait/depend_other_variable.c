// The dependences do not name what is passed on.
#include <stdio.h>
#define N 64

int main(void)
{
    int a[N], b[N], c[N];
    for (int i = 0; i < N; i++)
        a[i] = b[i] = c[i] = i;
#pragma omp target data map(tofrom: a, b, c)
    {
#pragma omp target nowait depend(out: b) // or-here
        for (int i = 0; i < N; i++)
            b[i] = 2 * a[i]; // or-here
#pragma omp target nowait depend(in: a) depend(out: c) //@ bad // expect: race
#pragma omp target nowait depend(in: b) depend(out: c) //@ good
        for (int i = 0; i < N; i++)
            c[i] = b[i] + 1; // or-here
#pragma omp taskwait
    }
    return c[10] != 21;
}
