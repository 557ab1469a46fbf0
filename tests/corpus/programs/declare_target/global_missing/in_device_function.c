// A device function uses a global that is on the host only.
#include <stdio.h>

#pragma omp declare target //@ good
double gravity = 9.81;
#pragma omp end declare target //@ good

#pragma omp declare target
double weight(double m)
{
    return m * gravity; // expect: mapping
}
#pragma omp end declare target

int main(void)
{
    double w = 0.0;
#pragma omp target map(from: w)
    w = weight(2.0); // or-here
    return w != 2.0 * 9.81;
}
