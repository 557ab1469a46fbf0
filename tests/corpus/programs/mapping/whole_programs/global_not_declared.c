// Parameters of the simulation in a global that device functions use.
#include <stdio.h>
struct params { double g, dt; };
struct params par = {9.81, 0.0}; //@ good
#pragma omp declare target to(par) //@ good
struct params par = {9.81, 0.0}; //@ bad // or-here [bad]

#pragma omp declare target
static double drop(double v) { return v - par.g * par.dt; } // expect: mapping [bad]
#pragma omp end declare target

int main(void)
{
    double v[10];
    for (int i = 0; i < 10; i++)
        v[i] = i;
    par.dt = 0.5;
#pragma omp target update to(par) //@ good
#pragma omp target map(tofrom: v) // or-here [bad]
    for (int i = 0; i < 10; i++)
        v[i] = drop(v[i]); // or-here [bad]
    printf("%g\n", v[0]);
    return v[0] != -9.81 * 0.5;
}
