// One iteration writes the element that all others read.
#include <stdio.h>
#define N 100

int main(void)
{
    double x[N];
    for (int i = 0; i < N; i++)
        x[i] = i + 1.0;
#pragma omp target teams distribute parallel for map(tofrom: x) //@ bad
    for (int i = 0; i < N; i++) //@ bad
#pragma omp target teams distribute parallel for map(tofrom: x) //@ good
    for (int i = 0; i < N - 1; i++) //@ good
        x[i] = x[i] / x[N - 1]; // expect: race
    return x[0] != 0.01;
}
