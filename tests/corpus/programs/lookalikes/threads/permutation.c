// The index array is a permutation: no two iterations meet.
#include <stdio.h>
#define N 97

int main(void)
{
    int to[N], src[N], dst[N], wrong = 0;
    for (int i = 0; i < N; i++) {
        to[i] = (i * 10) % N;
        src[i] = i;
    }
#pragma omp target teams distribute parallel for map(to: to, src) map(from: dst)
    for (int i = 0; i < N; i++)
        dst[to[i]] = src[i];
    for (int i = 0; i < N; i++)
        wrong |= dst[(i * 10) % N] != i;
    return wrong;
}
