// A prototype as a header of the project has it.
#include <stdio.h>
#include <stdlib.h>

typedef struct { double re, im; } cplx;

cplx cplx_mul(cplx a, cplx b);
#pragma omp declare target to(cplx_mul) //@ good

void squares(cplx *z, int n)
{
#pragma omp target teams distribute parallel for map(tofrom: z[0:n])
    for (int i = 0; i < n; i++)
        z[i] = cplx_mul(z[i], z[i]); // expect: mapping
}
//@ run {
cplx cplx_mul(cplx a, cplx b)
{
    cplx r = { a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
    return r;
}
int main(void)
{
    cplx z[2] = { { 0.0, 1.0 }, { 2.0, 0.0 } };
    squares(z, 2);
    return z[0].re != -1.0 || z[1].re != 4.0;
}
