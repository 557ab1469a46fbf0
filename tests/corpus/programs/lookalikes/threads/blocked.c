// Blocks of eight: i*8+k never meets another block.
#include <stdio.h>
#include <stdlib.h>
#define B 8

int main(void)
{
    int blocks = 12, *v = malloc(blocks * B * sizeof(int)), wrong = 0;
#pragma omp target teams distribute parallel for map(from: v[0:blocks*B])
    for (int b = 0; b < blocks; b++) {
        v[b * B] = b;
        for (int k = 1; k < B; k++)
            v[b * B + k] = v[b * B + k - 1] + 1;
    }
    for (int b = 0; b < blocks; b++)
        wrong |= v[b * B + B - 1] != b + B - 1;
    free(v);
    return wrong;
}
