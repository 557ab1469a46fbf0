// Only one row of the result is fetched, two are read.
#include <stdio.h>
#define ROWS 8
#define COLS 16

float t[ROWS][COLS];

int main(void)
{
    float sum = 0.0f;
#pragma omp target enter data map(alloc: t)
#pragma omp target teams distribute parallel for
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++)
            t[r][c] = 1.0f; // or-here
#pragma omp target update from(t[0:1]) //@ bad // or-here
#pragma omp target update from(t[0:2]) //@ good
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < COLS; c++)
            sum += t[r][c]; // expect: mapping
#pragma omp target exit data map(release: t)
    printf("%g\n", sum);
    return sum != 2 * COLS;
}
