// Scalars are copied when the region is met: changing them afterwards is all right.
#include <stdio.h>
#define N 10

int main(void)
{
    int r[3][N], factor = 1;
    for (int k = 0; k < 3; k++) {
        int *row = r[k];
#pragma omp target nowait map(from: row[0:N])
        for (int i = 0; i < N; i++)
            row[i] = factor * i;
        factor *= 10;
    }
#pragma omp taskwait
    return r[0][9] != 9 || r[2][9] != 900;
}
