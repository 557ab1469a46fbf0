// private copies that get a value on every path before they are read; one is an output of a helper.
#include <stdio.h>
#define N 40

static void half(int v, int *out) { *out = v / 2; }

int main(void)
{
    int a, b, c, d[2], v[N];
#pragma omp parallel for private(a, b, c, d)
    for (int i = 0; i < N; i++) {
        if (i % 2)
            a = i;
        else
            a = -i;
        half(a, &b);
        for (c = 0; c < 2; c++)
            d[c] = b + c;
        v[i] = d[0] + d[1] + c;
    }
#pragma omp parallel private(a)
    {
        a = 1;
#pragma omp for
        for (int i = 0; i < N; i++)
            v[i] += a;
    }
    return v[3] != 6 || v[2] != 2;
}
