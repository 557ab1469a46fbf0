// A temporary outside of the loop is shared by all threads.
#include <stdio.h>
#define N 90

int main(void)
{
    double a[N], t = 0.0;
    for (int i = 0; i < N; i++)
        a[i] = i;
#pragma omp target map(tofrom: a, t)
#pragma omp parallel for //@ bad good2
#pragma omp parallel for private(t) //@ good
    for (int i = 0; i < N; i++) {
        double t; //@ good2
        t = 2.0 * a[i]; // expect: race
        a[i] = t + 1.0; // or-here
    }
    return a[5] != 11.0;
}
