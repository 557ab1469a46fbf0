// A maximum found by the device in a scalar that is mapped one way.
#include <stdio.h>
#include <float.h>

#define COUNT 77

int main(void)
{
    double v[COUNT];
    double best = -DBL_MAX;
    for (int i = 0; i < COUNT; i++)
        v[i] = (i * 37) % COUNT;
#pragma omp target map(to: v, best) //@ bad // expect: mapping
#pragma omp target map(to: v) map(tofrom: best) //@ good
    for (int i = 0; i < COUNT; i++)
        if (v[i] > best)
            best = v[i]; // or-here
    printf("best %g\n", best); // or-here
    return best != COUNT - 1;
}
