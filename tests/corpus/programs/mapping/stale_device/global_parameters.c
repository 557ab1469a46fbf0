// Parameters in a struct that is mapped once and changed later.
#include <stdio.h>

struct params { double dt; int order; };

static struct params par = { 0.5, 1 };

static double advance(double x)
{
    double y = 0.0;
#pragma omp target map(from: y) // expect: mapping
    y = x + par.dt * par.order; // or-here
    return y;
}

int main(void)
{
    double y = 0.0;
#pragma omp target data map(to: par)
    {
        y = advance(y);
        par.order = 3; // or-here
#pragma omp target update to(par) //@ good
#pragma omp target update to(par.order) //@ good2
        y = advance(y);
    }
    printf("%g\n", y);
    return y != 2.0;
}
