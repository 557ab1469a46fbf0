// A constant that means something else: half of the array is mapped.
#include <stdio.h>
#define CELLS 128
#define GHOST 2

static float field[CELLS + 2 * GHOST];

static void smooth(float *out)
{
#pragma omp target teams distribute parallel for map(to: field[GHOST:CELLS]) map(from: out[0:CELLS]) //@ bad // expect: mapping
#pragma omp target teams distribute parallel for map(to: field[0:CELLS+2*GHOST]) map(from: out[0:CELLS]) //@ good
    for (int i = 0; i < CELLS; i++)
        out[i] = field[i] + field[i + 2 * GHOST]; // or-here
}

int main(void)
{
    float out[CELLS];
    for (int i = 0; i < CELLS + 2 * GHOST; i++)
        field[i] = (float)i;
    smooth(out);
    printf("%g\n", out[0]);
    return out[0] != 4.0f || out[CELLS - 1] != 2 * CELLS + 2;
}
