// The second index is linear.
#include <stdio.h>
#define N 64

int main(void)
{
    int a[2 * N], k = 0;
#pragma omp simd linear(k: 2)
    for (int i = 0; i < N; i++) {
        a[k] = i;
        a[k + 1] = -i;
        k += 2;
    }
    return a[126] != 63 || k != 128;
}
