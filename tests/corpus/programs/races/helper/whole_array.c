// Each call works on the whole array instead of on its row.
#include <stdio.h>
#define R 8
#define C 8

static void bump(int *row, int n)
{
    for (int j = 0; j < n; j++)
        row[j] += 1; // or-here
}

int main(void)
{
    int m[R * C] = { 0 };
#pragma omp target teams distribute parallel for map(tofrom: m)
    for (int i = 0; i < R; i++)
        bump(m, C); //@ bad // expect: race
        bump(m + i * C, C); //@ good
    return m[0] < 1;
}
