// The first dimension of a pointer to rows is unknown; the second is not.
#include <stdio.h>
#include <stdlib.h>
#define COLS 4

int main(void)
{
    int rows = 5, sum = 0;
    int (*m)[COLS] = malloc(rows * sizeof *m);
    for (int i = 0; i < rows * COLS; i++)
        m[i / COLS][i % COLS] = 1;
#pragma omp target map(to: m[0:][0:COLS]) map(tofrom: sum) //@ bad // expect: mapping
#pragma omp target map(to: m[0:rows][0:]) map(tofrom: sum) //@ good
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < COLS; j++)
            sum += m[i][j];
    free(m);
    return sum != 20;
}
