// There are two mappers; the region asks for neither, and there is no default one.
// needs: clang (gcc 12 does not know this)
#include <stdio.h>
#include <stdlib.h>

struct grid { int nx, ny; float *cell; };
#pragma omp declare mapper(whole: struct grid g) map(g, g.cell[0:g.nx*g.ny])
#pragma omp declare mapper(first: struct grid g) map(g, g.cell[0:g.nx])

static float corner(struct grid g)
{
    float c = 0.0f;
#pragma omp target map(to: g) map(from: c) //@ bad // expect: mapping
#pragma omp target map(mapper(first), to: g) map(from: c) //@ bad2 // expect: mapping
#pragma omp target map(mapper(whole), to: g) map(from: c) //@ good
    c = g.cell[g.nx * g.ny - 1]; // or-here
    return c;
}

int main(void)
{
    struct grid g = { 5, 4, malloc(20 * sizeof(float)) };
    for (int i = 0; i < 20; i++)
        g.cell[i] = (float)i;
    float c = corner(g);
    free(g.cell);
    printf("%g\n", c);
    return c != 19.0f;
}
