// The value is not wanted back: the user says so.
#include <stdio.h>

static int digits(unsigned long value)
{
    int n = 0;
#pragma omp target map(tofrom: n) firstprivate(value)
    while (value) {
        value /= 10;
        n++;
    }
    return value > 0 ? n : 1;
}

int main(void)
{
    return digits(98765) != 5 || digits(0) != 1;
}
