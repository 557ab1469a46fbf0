// Two sums, one in the reduction clause.
#include <stdio.h>
#define N 250

int main(void)
{
    double sx = 0.0, sxx = 0.0;
#pragma omp target teams distribute parallel for map(tofrom: sx, sxx) reduction(+: sx) //@ bad
#pragma omp target teams distribute parallel for map(tofrom: sx, sxx) reduction(+: sx, sxx) //@ good
    for (int i = 0; i < N; i++) {
        double x = i;
        sx += x;
        sxx += x * x; // expect: race
    }
    return sxx <= sx;
}
