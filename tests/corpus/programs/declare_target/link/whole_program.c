// A link variable that a function on the device uses, in a program of one file.
#include <stdio.h>
double weights[32];
#pragma omp declare target link(weights)

#pragma omp declare target
static double weigh(const double *v, int i) { return v[i] * weights[i]; } // or-here [bad]
#pragma omp end declare target

int main(void)
{
    double v[32], total = 0;
    for (int i = 0; i < 32; i++) { v[i] = i; weights[i] = 0.5; }
    #pragma omp target enter data map(to: weights) //@ good
    #pragma omp target map(to: v) map(tofrom: total) // or-here [bad]
    for (int i = 0; i < 32; i++)
        total += weigh(v, i); // expect: mapping [bad]
    #pragma omp target exit data map(release: weights) //@ good
    printf("%f\n", total);
    return total != 248;
}
