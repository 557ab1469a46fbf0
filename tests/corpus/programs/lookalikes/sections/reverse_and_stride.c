// Loops that run backwards, by two, and from an offset, inside of exactly the mapped section.
#include <stdio.h>
#define N 64

int main(void)
{
    int v[N], w[N];
    for (int i = 0; i < N; i++)
        v[i] = w[i] = i;
#pragma omp target map(to: v[0:N]) map(tofrom: w[0:N])
    {
        for (int i = N - 1; i >= 0; i--)
            w[i] += v[N - 1 - i];
        for (int i = 1; i < N; i += 2)
            w[i - 1] -= v[i];
        for (int i = 0; 2 * i + 1 < N; i++)
            w[2 * i + 1] = 0;
    }
    return w[0] != N - 2 || w[1] != 0;
}
