// firstprivate arrays and private pointers in a kernel.
#include <stdio.h>

int main(void)
{
    int seed[4] = { 1, 2, 3, 4 }, out[16], *q;
#pragma omp target teams distribute parallel for firstprivate(seed) private(q) map(from: out)
    for (int i = 0; i < 16; i++) {
        q = &seed[i % 4];
        out[i] = *q + i;
    }
    return out[15] != 19 || seed[0] != 1;
}
