// The lower triangle is written from the upper one; with the diagonal too far, rows meet.
#include <stdio.h>
#define N 25

int main(void)
{
    int m[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            m[i][j] = i < j ? j : 0;
#pragma omp target teams distribute parallel for map(tofrom: m)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++) //@ good
        for (int j = 0; j < N; j++) //@ bad
            m[i][j] = m[j][i]; // expect: race
    return m[N - 1][0] != N - 1;
}
