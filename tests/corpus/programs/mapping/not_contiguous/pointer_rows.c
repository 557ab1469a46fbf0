// Rows that were allocated one by one are not one piece.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int rows = 4, cols = 6, sum = 0;
    int **m = malloc(rows * sizeof *m);
    int *all = malloc(rows * cols * sizeof(int));
    for (int r = 0; r < rows; r++) {
        m[r] = all + r * cols;
        for (int c = 0; c < cols; c++)
            m[r][c] = 1;
    }
#pragma omp target map(to: m[0:rows][0:cols]) map(tofrom: sum) //@ bad // expect: mapping
#pragma omp target map(to: all[0:rows*cols]) map(tofrom: sum) //@ good
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            sum += m[r][c]; //@ bad // or-here
            sum += all[r * cols + c]; //@ good
    free(all);
    free(m);
    return sum != 24;
}
