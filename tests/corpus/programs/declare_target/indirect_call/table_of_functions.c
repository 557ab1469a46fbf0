// A table of functions, mapped to the device with the host's addresses.
#include <stdio.h>

typedef double (*op)(double, double);
static double add(double a, double b) { return a + b; }
static double sub(double a, double b) { return a - b; }

int main(void)
{
    double r[2];
    op ops[2] = { add, sub }; //@ bad
#pragma omp target map(from: r) map(to: ops) //@ bad // or-here
#pragma omp target map(from: r) //@ good
    { //@ good
        op ops[2] = { add, sub }; //@ good
    for (int i = 0; i < 2; i++)
        r[i] = ops[i](5.0, 3.0); // expect: mapping
    } //@ good
    return r[0] != 8.0 || r[1] != 2.0;
}
