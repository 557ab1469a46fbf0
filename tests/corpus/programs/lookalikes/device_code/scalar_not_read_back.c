// An implicit firstprivate scalar is changed on the device, and the host sets it before it reads it.
#include <stdio.h>

int main(void)
{
    int k = 5, r = 0, t;
    t = 2;
#pragma omp target map(tofrom: r)
    {
        t *= 10;
        for (; k > 0; k--)
            r += t;
    }
    t = r;
    for (k = 0; k < 3; k++)
        t++;
    return t != 103 || k != 3;
}
