// A helper returns several values through pointers to private variables.
#include <stdio.h>
#define N 64

static void split(int v, int *lo, int *hi, int digits[2])
{
    *lo = v % 10;
    *hi = v / 10;
    digits[0] = *lo;
    digits[1] = *hi;
}

int main(void)
{
    int out[N], wrong = 0;
#pragma omp target teams distribute parallel for map(from: out)
    for (int i = 0; i < N; i++) {
        int lo, hi, d[2];
        split(i, &lo, &hi, d);
        out[i] = 10 * d[1] + lo + 100 * (hi - d[1]);
    }
    for (int i = 0; i < N; i++)
        wrong |= out[i] != i;
    return wrong;
}
