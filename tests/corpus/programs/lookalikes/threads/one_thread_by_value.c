// One thread or one team, as variables say whose values are known there.
#include <stdio.h>

int main(void)
{
    int sum = 0, spread, one = 1, a[4] = {0};
    spread = 0;
#pragma omp parallel for if(spread == 1)
    for (int i = 0; i < 100; i++)
        sum += i;
#pragma omp parallel num_threads(one)
    sum++;
#pragma omp target teams map(tofrom: a) num_teams(one)
    a[1]++;
#pragma omp parallel if(parallel: spread)
    a[2] += sum;
    return sum != 4951 || a[1] != 1 || a[2] != 4951;
}
