// One scratch value for all teams.
#include <stdio.h>
#define R 16
#define C 32

int main(void)
{
    int m[R][C], sums[R], t = 0, wrong = 0;
    for (int i = 0; i < R; i++)
        for (int j = 0; j < C; j++)
            m[i][j] = i;
#pragma omp target teams distribute map(to: m) map(from: sums) map(tofrom: t) //@ bad
#pragma omp target teams distribute map(to: m) map(from: sums) private(t) //@ good
#pragma omp target teams distribute map(to: m) map(from: sums) //@ good2
    for (int i = 0; i < R; i++) {
        int t; //@ good2
        t = 0; // expect: race
        for (int j = 0; j < C; j++)
            t += m[i][j]; // or-here
        sums[i] = t; // or-here
    }
    for (int i = 0; i < R; i++)
        wrong |= sums[i] != i * C;
    return wrong;
}
