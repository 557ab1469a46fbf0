// Monte Carlo with a generator state per sample on the device.
#include <stdint.h>
#include <stdio.h>
#define SAMPLES 4096

static uint32_t next(uint32_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return *s;
}

int main(void)
{
    static uint32_t seeds[SAMPLES];
    static int hits[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        seeds[i] = 12345u + 977u * i;
    long inside = 0, again = 0;
#pragma omp target data map(to: seeds) map(alloc: hits) //@ good bad2 // or-here [bad2]
#pragma omp target data map(alloc: seeds, hits) //@ bad // or-here [bad]
    {
#pragma omp target teams distribute parallel for // expect: mapping [bad]
        for (int i = 0; i < SAMPLES; i++) {
            uint32_t s = seeds[i]; // or-here [bad]
            hits[i] = 0;
            for (int k = 0; k < 16; k++) {
                double x = next(&s) / 4294967296.0, y = next(&s) / 4294967296.0;
                hits[i] += x * x + y * y < 1.0;
            }
            seeds[i] = s;
        }
#pragma omp target teams distribute parallel for map(tofrom: inside) reduction(+: inside)
        for (int i = 0; i < SAMPLES; i++)
            inside += hits[i];
#pragma omp target update from(hits) //@ good bad
    }
    for (int i = 0; i < SAMPLES; i++)
        again += hits[i]; // expect: mapping [bad2]
    double pi = 4.0 * inside / (16.0 * SAMPLES);
    printf("%g\n", pi);
    return again != inside || pi < 3.0 || pi > 3.3;
}
