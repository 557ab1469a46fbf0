// A simulation that swaps two buffers.
#include <stdio.h>
#include <stdlib.h>
#define STR 256
static void fatal(const char *s) { fprintf(stderr, "error: %s\n", s); exit(1); }
static void single_iteration(float *result, float *temp, float *power, int row, int col, float step)
{
#pragma omp target teams distribute parallel for collapse(2) // expect: mapping [bad bad2]
    for (int r = 0; r < row; r++)
        for (int c = 0; c < col; c++) {
            float d = step * (power[r * col + c] - temp[r * col + c]); // expect: mapping [bad bad2]
            result[r * col + c] = temp[r * col + c] + d;
        }
}
static void compute(float *result, int iters, float *temp, float *power, int row, int col)
{
#pragma omp target data map(to: power[0:row * col]) map(tofrom: temp[0:row * col], result[0:row * col]) //@ good
#pragma omp target data map(alloc: power[0:row * col]) map(tofrom: temp[0:row * col], result[0:row * col]) //@ bad // expect: mapping [bad]
#pragma omp target data map(to: power[0:row]) map(tofrom: temp[0:row * col], result[0:row * col]) //@ bad2 // expect: mapping [bad2]
#pragma omp target data map(to: power[0:row * col], temp[0:row * col], result[0:row * col]) //@ bad3 // expect: mapping [bad3]
    {
        float *r = result, *t = temp;
        for (int i = 0; i < iters; i++) {
            single_iteration(r, t, power, row, col, 0.1f);
            float *tmp = t; t = r; r = tmp;
        }
    }
}
int main(int argc, char **argv)
{
    int rows = 32, cols = 48, iters = 6;
    if (argc > 3) { rows = atoi(argv[1]); cols = atoi(argv[2]); iters = atoi(argv[3]); }
    float *temp = calloc(rows * cols, sizeof(float)), *power = calloc(rows * cols, sizeof(float)), *result = calloc(rows * cols, sizeof(float));
    if (!temp || !power || !result) fatal("unable to allocate memory");
    for (int i = 0; i < rows * cols; i++) { temp[i] = 300 + i % 3; power[i] = 0.01f * i; }
    compute(result, iters, temp, power, rows, cols);
    float *out = iters & 1 ? result : temp;
    for (int i = 0; i < rows; i++) printf("%d %g\n", i, out[i * cols]); // expect: mapping [bad3]
    free(temp); free(power); free(result);
    return 0;
}
