// Flattened 3-D indices by macros, with the sizes in an enum and a struct.
#include <stdio.h>
#include <stdlib.h>
#define IDX(g, i, j, k) (((i) * (g).ny + (j)) * (g).nz + (k))
#define CELLS(g) ((g).nx * (g).ny * (g).nz)

struct grid { int nx, ny, nz; };

int main(void)
{
    struct grid g = { 4, 5, 6 };
    float *u = malloc(CELLS(g) * sizeof(float));
#pragma omp target teams distribute parallel for collapse(3) map(from: u[0:CELLS(g)])
    for (int i = 0; i < g.nx; i++)
        for (int j = 0; j < g.ny; j++)
            for (int k = 0; k < g.nz; k++)
                u[IDX(g, i, j, k)] = (float)IDX(g, i, j, k);
    int wrong = u[CELLS(g) - 1] != CELLS(g) - 1;
    free(u);
    return wrong;
}
