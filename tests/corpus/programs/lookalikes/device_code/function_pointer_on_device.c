// A function pointer that gets its value on the device.
#include <stdio.h>

static int inc(int v) { return v + 1; }
static int dbl(int v) { return 2 * v; }

int main(void)
{
    int v[6] = { 1, 2, 3, 4, 5, 6 };
#pragma omp target map(tofrom: v)
    for (int i = 0; i < 6; i++) {
        int (*f)(int) = i % 2 ? dbl : inc;
        v[i] = f(v[i]);
    }
    return v[0] != 2 || v[5] != 12;
}
