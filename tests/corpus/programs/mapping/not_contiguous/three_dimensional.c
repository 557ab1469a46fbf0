// The inner dimension is cut, the outer ones are not single elements.
#include <stdio.h>

static float cube[6][7][8];

int main(void)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 7; j++)
            for (int k = 0; k < 8; k++)
                cube[i][j][k] = 1.0f;
#pragma omp target enter data map(to: cube[2:2][0:3][0:8]) //@ bad // expect: mapping
#pragma omp target exit data map(from: cube[2:2][0:3][0:8]) //@ bad // or-here
#pragma omp target enter data map(to: cube[2:1][0:3][0:8]) //@ good
#pragma omp target exit data map(from: cube[2:1][0:3][0:8]) //@ good
#pragma omp target enter data map(to: cube[2:2][0:7][0:8]) //@ good2
#pragma omp target exit data map(from: cube[2:2][0:7][0:8]) //@ good2
    return cube[5][6][7] != 1.0f;
}
