// enter data of the pointer itself.
#include <stdio.h>
#include <stdlib.h>

static double *grid;

static void to_device(int n)
{
#pragma omp target enter data map(to: grid) //@ bad // expect: mapping
#pragma omp target enter data map(to: grid[0:n*n]) //@ good
}

static void relax(int n)
{
#pragma omp target teams distribute parallel for collapse(2) // or-here
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            grid[i * n + j] *= 0.25; // or-here
}

int main(void)
{
    int n = 24;
    grid = malloc(n * n * sizeof(double));
    for (int i = 0; i < n * n; i++)
        grid[i] = 4.0;
    to_device(n);
    relax(n);
#pragma omp target exit data map(from: grid[0:n*n]) //@ good
#pragma omp target exit data map(from: grid) //@ bad // or-here
    int wrong = grid[n] != 1.0;
    free(grid);
    return wrong;
}
