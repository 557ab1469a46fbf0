// Blocks of 8x8 are quantised; tables are constants of the host.
#include <stdlib.h>
static const short luma[64] = {[0 ... 31] = 16, [32 ... 63] = 32};

static void quantise(short *restrict coeff, const short *restrict q, int blocks)
{
#pragma omp target teams distribute parallel for collapse(2) map(tofrom: coeff[0:64*blocks]) map(to: q[0:64]) //@ good
#pragma omp target teams distribute parallel for collapse(2) map(tofrom: coeff[0:64*blocks]) map(to: q[0:8]) //@ bad // expect: mapping [bad]
#pragma omp target teams distribute parallel for collapse(2) map(tofrom: coeff[0:64]) map(to: q[0:64]) //@ bad2 // expect: mapping [bad2]
#pragma omp target teams distribute parallel for collapse(2) map(tofrom: coeff[0:64*blocks]) map(alloc: q[0:64]) //@ bad3 // expect: mapping [bad3]
    for (int b = 0; b < blocks; b++)
        for (int k = 0; k < 64; k++)
            coeff[64 * b + k] = (short)(coeff[64 * b + k] / q[k]); // or-here [bad bad2 bad3]
}

int main(void)
{
    int blocks = 12, bad = 0;
    short *c = malloc(64 * blocks * sizeof *c);
    for (int i = 0; i < 64 * blocks; i++)
        c[i] = (short)(i % 64 < 32 ? 160 : 320);
    quantise(c, luma, blocks);
    for (int i = 0; i < 64 * blocks; i++)
        bad |= c[i] != 10;
    free(c);
    return bad;
}
