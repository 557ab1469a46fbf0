// Dependences on elements: blocks of a matrix.
#include <stdio.h>
#define B 4

int main(void)
{
    int blk[B] = { 1, 1, 1, 1 }, out = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int k = 0; k < B; k++) {
#pragma omp task shared(blk) depend(inout: blk[k])
            blk[k] += k;
        }
        for (int k = 1; k < B; k++) {
#pragma omp task shared(blk) depend(in: blk[k-1]) depend(inout: blk[k])
            blk[k] += blk[k - 1];
        }
#pragma omp task shared(blk, out) depend(in: blk[B-1])
        out = blk[B - 1];
    }
    return out != 10;
}
