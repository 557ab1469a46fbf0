// A 2-D heat stencil; two grids stay on the device and swap roles.
#include <math.h>
#include <stdlib.h>

#define NX 64
#define NY 48
#define IDX(i, j) ((i) * NY + (j))

static void step(const double *in, double *out)
{
#pragma omp target teams distribute parallel for collapse(2) map(to: in[0:NX*NY]) map(from: out[0:NX*NY]) // or-here [bad3]
    for (int i = 1; i < NX - 1; i++)
        for (int j = 1; j < NY - 1; j++)
            out[IDX(i, j)] = 0.25 * (in[IDX(i - 1, j)] + in[IDX(i + 1, j)] + in[IDX(i, j - 1)] + in[IDX(i, j + 1)]);
}

int main(void)
{
    double *a = malloc(sizeof(double) * NX * NY), *b = malloc(sizeof(double) * NX * NY);
    double *c = malloc(sizeof(double) * NX * NY), *d = malloc(sizeof(double) * NX * NY);
    for (int k = 0; k < NX * NY; k++)
        a[k] = b[k] = c[k] = d[k] = k % 17;
#pragma omp target data map(tofrom: a[0:NX*NY], b[0:NX*NY]) //@ good
#pragma omp target data map(to: a[0:NX*NY], b[0:NX*NY]) //@ bad // or-here [bad]
#pragma omp target data map(tofrom: a[0:NX*NY]) map(alloc: b[0:NX*NY]) //@ bad2 // expect: mapping [bad2]
#pragma omp target data map(tofrom: a[0:NX*NY/2], b[0:NX*NY/2]) //@ bad3 // or-here [bad3]
    {
        for (int t = 0; t < 10; t++) {
            step(a, b); // expect: mapping [bad3]
            step(b, a); // or-here [bad2]
        }
    }
    for (int t = 0; t < 20; t++) {
        for (int i = 1; i < NX - 1; i++)
            for (int j = 1; j < NY - 1; j++)
                d[IDX(i, j)] = 0.25 * (c[IDX(i - 1, j)] + c[IDX(i + 1, j)] + c[IDX(i, j - 1)] + c[IDX(i, j + 1)]);
        double *swap = c;
        c = d;
        d = swap;
    }
    int bad = 0;
    for (int k = 0; k < NX * NY; k++)
        bad += fabs(a[k] - c[k]) > 1e-12; // expect: mapping [bad]
    free(a), free(b), free(c), free(d);
    return bad != 0;
}
