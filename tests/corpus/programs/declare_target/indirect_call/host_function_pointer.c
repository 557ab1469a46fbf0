// A function pointer of the host is called on the device.
#include <stdio.h>

static int square(int x) { return x * x; }
static int negate(int x) { return -x; }

static int apply(int which, int v)
{
    int (*f)(int) = which ? square : negate; //@ bad
    int r = 0;
#pragma omp target map(from: r) // or-here
    r = f(v); //@ bad // expect: mapping
    r = which ? square(v) : negate(v); //@ good
    return r;
}

int main(void)
{
    return apply(1, 4) != 16 || apply(0, 4) != -4;
}
