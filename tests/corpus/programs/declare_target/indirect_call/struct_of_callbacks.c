// A struct with a function pointer in it goes to the device.
#include <stdio.h>

struct material { double c; double (*law)(double); };

static double linear(double x) { return 3.0 * x; }

int main(void)
{
    struct material m = { 2.0, linear };
    double y = 0.0;
#pragma omp target map(to: m) map(from: y) // or-here
    y = m.c * m.law(1.0); //@ bad // expect: mapping
    y = m.c * linear(1.0); //@ good
    printf("%g %d\n", y, m.law == linear);
    return y != 6.0;
}
