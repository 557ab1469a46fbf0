// The results come back row by row.
#include <stdio.h>
#include <stdlib.h>
#define R 5
#define C 8

int main(void)
{
    int *m = calloc(R * C, sizeof(int)), sum = 0;
#pragma omp target enter data map(to: m[0:R*C])
#pragma omp target
    for (int i = 0; i < R * C; i++)
        m[i] = 1;
    for (int r = 0; r < R; r++) {
#pragma omp target update from(m[r*C:C])
        for (int c = 0; c < C; c++)
            sum += m[r * C + c];
    }
#pragma omp target exit data map(release: m[0:R*C])
    for (int i = 0; i < R * C; i++)
        sum += m[i];
    free(m);
    return sum != 2 * R * C;
}
