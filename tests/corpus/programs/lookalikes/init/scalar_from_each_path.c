// A scalar `from` that both branches write before it is read.
#include <stdio.h>

static int kernel(int mode)
{
    int r;
#pragma omp target map(from: r)
    {
        if (mode)
            r = 5;
        else
            r = 2;
        r *= 2;
    }
    return r;
}

int main(void)
{
    return kernel(1) != 10 || kernel(0) != 4;
}
