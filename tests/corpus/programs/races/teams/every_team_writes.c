// Code in `teams` outside of `distribute` runs in every team.
#include <stdio.h>
#define N 64

int main(void)
{
    double v[N], sum = 0.0;
    for (int i = 0; i < N; i++)
        v[i] = 1.0;
#pragma omp target teams map(tofrom: v, sum) num_teams(8) //@ bad
#pragma omp target map(tofrom: v, sum) //@ good
    {
        sum = sum + 1.0; // expect: race
#pragma omp distribute parallel for //@ bad
#pragma omp parallel for //@ good
        for (int i = 0; i < N; i++)
            v[i] *= 2.0;
    }
    return sum < 1.0 || v[3] != 2.0;
}
