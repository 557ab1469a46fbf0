// A table of rows (float **): every row is mapped and attached.
#include <stdlib.h>

static float **table_new(int rows, int cols)
{
    float **t = malloc(rows * sizeof *t);
    for (int r = 0; r < rows; r++) {
        t[r] = malloc(cols * sizeof **t);
        for (int c = 0; c < cols; c++)
            t[r][c] = (float)(r * cols + c);
    }
    return t;
}

int main(void)
{
    int rows = 6, cols = 10;
    float **t = table_new(rows, cols);
#pragma omp target enter data map(to: t[0:rows])
    for (int r = 0; r < rows; r++) { //@ good bad2 bad3
#pragma omp target enter data map(to: t[r][0:cols]) //@ good bad2 bad3
    } //@ good bad2 bad3
#pragma omp target // or-here [bad]
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            t[r][c] *= 2.0f; // expect: mapping [bad]
    for (int r = 0; r < rows; r++) { //@ good bad bad2 bad3
#pragma omp target exit data map(from: t[r][0:cols]) //@ good bad // or-here [bad]
#pragma omp target exit data map(release: t[r][0:cols]) //@ bad2 // or-here [bad2]
    } //@ good bad bad2 bad3
#pragma omp target exit data map(release: t[0:rows])
    int bad = 0;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            bad |= t[r][c] != 2.0f * (r * cols + c); //@ good bad bad2 // expect: mapping [bad2]
    for (int r = 0; r < rows; r++)
        free(t[r]); // expect: mapping [bad3]
    free(t);
    return bad;
}
