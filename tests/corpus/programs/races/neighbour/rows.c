// Rows run in parallel; each reads the row above.
#include <stdio.h>
#define R 20
#define C 30

int main(void)
{
    int m[R][C];
    for (int i = 0; i < R; i++)
        for (int j = 0; j < C; j++)
            m[i][j] = 1;
#pragma omp target teams distribute parallel for map(tofrom: m) //@ bad good2
    for (int i = 1; i < R; i++) //@ bad
        for (int j = 1; j < C; j++) //@ bad
            m[i][j] = m[i - 1][j]; //@ bad // expect: race
#pragma omp target map(tofrom: m) //@ good
    for (int i = 1; i < R; i++) //@ good
#pragma omp parallel for //@ good
        for (int j = 1; j < C; j++) //@ good
            m[i][j] = m[i - 1][j]; //@ good
    for (int i = 1; i < R; i++) //@ good2
        for (int j = 1; j < C; j++) //@ good2
            m[i][j] = m[i][j - 1]; //@ good2
    return m[R - 1][C - 1] != 1;
}
