// The reduction is on the inner loop, but not over the teams.
#include <stdio.h>
#define R 8
#define C 60

int main(void)
{
    int m[R][C], s = 0;
    for (int i = 0; i < R; i++)
        for (int j = 0; j < C; j++)
            m[i][j] = 1;
#pragma omp target teams distribute map(to: m) map(tofrom: s) //@ bad
#pragma omp target teams distribute map(to: m) map(tofrom: s) reduction(+: s) //@ good
    for (int i = 0; i < R; i++) {
        int row = 0;
#pragma omp parallel for reduction(+: row)
        for (int j = 0; j < C; j++)
            row += m[i][j];
        s += row; // expect: race
    }
    return s != R * C;
}
