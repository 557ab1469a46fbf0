// A function of another file is called on the device.
#include <math.h>
#include <stdio.h>

double potential(double r); //@ bad
#pragma omp declare target //@ bad2 good
double potential(double r); //@ bad2 good
#pragma omp end declare target //@ bad2 good
double shift(double r); //@ bad2

int main(void)
{
    double e = 0.0;
#pragma omp target map(tofrom: e)
    for (int i = 1; i < 10; i++)
        e += potential(i); //@ bad good // expect: mapping
        e += potential(i) + shift(i); //@ bad2 // expect: mapping
    printf("%g\n", e);
    return e < 2.8 || e > 2.9;
}
//@ run {
double potential(double r) { return 1.0 / r; }
double shift(double r) { return -r; }
