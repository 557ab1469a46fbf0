// A function that is declared for the host only is called on the device.
#include <stdio.h>

static int clamp(int v)
{
    return v < 0 ? 0 : v > 9 ? 9 : v;
}
#pragma omp declare target to(clamp) device_type(host) //@ bad // or-here
#pragma omp declare target to(clamp) device_type(any) //@ good

int main(void)
{
    int s = 0;
#pragma omp target map(tofrom: s)
    for (int i = -5; i < 20; i++)
        s += clamp(i); // expect: mapping
    return s != 45 + 90;
}
