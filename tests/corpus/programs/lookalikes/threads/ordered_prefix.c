// A dependence that `ordered` honours.
#include <stdio.h>
#define N 40

int main(void)
{
    int sum[N + 1] = { 0 }, v[N];
#pragma omp parallel for ordered
    for (int i = 0; i < N; i++) {
        v[i] = 2 * i;
#pragma omp ordered
        sum[i + 1] = sum[i] + v[i];
    }
    return sum[N] != N * (N - 1);
}
