// collapse(2) makes iterations of one row run in parallel.
#include <stdio.h>
#define N 20

int main(void)
{
    double m[N][N], row[N];
    for (int i = 0; i < N; i++) {
        row[i] = 0.0;
        for (int j = 0; j < N; j++)
            m[i][j] = 1.0;
    }
#pragma omp target teams distribute parallel for collapse(2) map(to: m) map(tofrom: row) //@ bad good2
#pragma omp target teams distribute parallel for map(to: m) map(tofrom: row) //@ good
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
#pragma omp atomic //@ good2
            row[i] += m[i][j]; // expect: race
    return row[N - 1] != N;
}
