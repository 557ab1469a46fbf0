// A 2-D array: too few rows.
#include <stdio.h>
#define H 12
#define W 10

int main(void)
{
    int a[H][W], t[W][H];
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++)
            a[i][j] = i * W + j;
#pragma omp target teams distribute parallel for collapse(2) map(to: a[0:W][0:W]) map(from: t) //@ bad // expect: mapping
#pragma omp target teams distribute parallel for collapse(2) map(to: a[0:H][0:W]) map(from: t) //@ good
#pragma omp target teams distribute parallel for collapse(2) map(to: a) map(from: t[0:W][:]) //@ good2
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++)
            t[j][i] = a[i][j]; // or-here
    printf("%d\n", t[W - 1][H - 1]);
    return t[W - 1][H - 1] != H * W - 1;
}
