// Everything that is written is declared inside, or private, or its own element.
#include <stdio.h>
#define N 60

int main(void)
{
    int out[N], i, k, tmp;
#pragma omp parallel for private(k, tmp)
    for (i = 0; i < N; i++) {
        int acc = 0;
        for (k = 0; k < 4; k++) {
            tmp = i + k;
            acc += tmp;
        }
        out[i] = acc;
    }
    return out[1] != 10;
}
