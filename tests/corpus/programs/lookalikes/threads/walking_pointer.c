// Each thread or iteration moves a pointer of its own.
#include <stdio.h>
#define R 12
#define C 9

int main(void)
{
    int m[R][C], sums[R], wrong = 0;
#pragma omp parallel for
    for (int i = 0; i < R; i++) {
        int *p = m[i], *end = p + C;
        while (p < end)
            *p++ = i;
        sums[i] = 0;
        for (p = m[i]; p != end; ++p)
            sums[i] += *p;
    }
    for (int i = 0; i < R; i++)
        wrong |= sums[i] != i * C;
    return wrong;
}
