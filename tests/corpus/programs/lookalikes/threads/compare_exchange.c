// Union-find style: minimum by atomic compare, in a loop until nothing changes.
// needs: clang
#include <stdio.h>
#define N 32

int main(void)
{
    int label[N], low = 1000;
    for (int i = 0; i < N; i++)
        label[i] = (i * 5 + 3) % N;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
#pragma omp atomic compare
        if (low > label[i]) { low = label[i]; }
    }
    return low != 0;
}
