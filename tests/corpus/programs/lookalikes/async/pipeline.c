// Double buffering: block k is computed while block k+1 is prepared on the host.
#include <stdio.h>
#define B 32
#define BLOCKS 6

static void prepare(int *buf, int k)
{
    for (int i = 0; i < B; i++)
        buf[i] = k * B + i;
}

int main(void)
{
    int buf[2][B];
    long sums[2] = { 0, 0 };
    prepare(buf[0], 0);
    for (int k = 0; k < BLOCKS; k++) {
        int *cur = buf[k % 2], *next = buf[(k + 1) % 2];
        long *sum = &sums[k % 2];
#pragma omp target nowait map(to: cur[0:B]) map(tofrom: sum[0:1])
        for (int i = 0; i < B; i++)
            sum[0] += cur[i];
        if (k + 1 < BLOCKS)
            prepare(next, k + 1);
#pragma omp taskwait
    }
    return sums[0] + sums[1] != BLOCKS * B * (BLOCKS * B - 1) / 2;
}
