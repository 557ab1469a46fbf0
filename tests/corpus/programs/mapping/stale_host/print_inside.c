// A progress report inside of a data region.
#include <stdio.h>
#include <string.h>
#define M 32

static int trace(const int *grid)
{
    int sum = 0;
    for (int i = 0; i < M; i++)
        sum += grid[i * M + i]; // or-here
    return sum;
}

int main(void)
{
    int grid[M * M], seen;
    memset(grid, 0, sizeof grid);
#pragma omp target data map(tofrom: grid)
    {
#pragma omp target teams distribute parallel for collapse(2)
        for (int i = 0; i < M; i++)
            for (int j = 0; j < M; j++)
                grid[i * M + j] = i + j; // or-here
#pragma omp target update from(grid) //@ good
        seen = trace(grid); //@ bad good // expect: mapping
    }
    seen = trace(grid); //@ good2
    printf("%d %d\n", seen, trace(grid));
    return seen != M * (M - 1);
}
