// The bytes of an array under another type.
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>

union word { uint32_t u; float f; };

int main(void)
{
    int n = 10;
    float *f = malloc(n * sizeof(float));
    for (int i = 0; i < n; i++)
        f[i] = -(float)i;
    union word *w = (union word *)f;
#pragma omp target map(tofrom: w[0:n])
    for (int i = 0; i < n; i++)
        w[i].u &= 0x7fffffffu;
    int wrong = f[9] != 9.0f;
    free(f);
    return wrong;
}
