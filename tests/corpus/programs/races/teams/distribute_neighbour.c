// Iterations of `distribute` run in different teams.
#include <stdio.h>
#define N 100

int main(void)
{
    int h[N + 1];
    for (int i = 0; i <= N; i++)
        h[i] = 1;
#pragma omp target teams map(tofrom: h)
#pragma omp distribute
    for (int i = 0; i < N; i++)
        h[i + 1] = h[i] + 1; //@ bad // expect: race
        h[i + 1] = h[i + 1] + 1; //@ good
    return h[0] != 1 || h[1] != 2;
}
