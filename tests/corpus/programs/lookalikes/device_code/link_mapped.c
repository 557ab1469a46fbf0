// A link variable that is mapped around its uses.
#include <stdio.h>

double lookup[500];
#pragma omp declare target link(lookup)

static double at(int i)
{
    return lookup[i];
}

int main(void)
{
    double a = 0.0, b = 0.0;
    for (int i = 0; i < 500; i++)
        lookup[i] = i;
#pragma omp target map(to: lookup) map(from: a)
    a = at(20);
#pragma omp target data map(to: lookup)
    {
#pragma omp target map(from: b)
        b = lookup[499] + at(1);
    }
    return a != 20.0 || b != 500.0;
}
