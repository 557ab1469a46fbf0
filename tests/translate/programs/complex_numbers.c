/* Complex numbers. */
#include <complex.h>
#include <math.h>

#include "tried.h"

/* What the functions below give on a device is what they give on the host. */
#pragma omp declare target
typedef struct {
    double complex z;
    int k;
} S;
static double complex sq(double complex z) { return z * z; }
static void complex_numbers(double *r, long n)
{
    double complex a = 1 + 2 * I, b = 3 - I;
    double complex c = a * b;
    r[0] = creal(c);
    r[1] = cimag(c);
    c = a / b;
    r[2] = creal(c);
    r[3] = cimag(c);
    c = conj(a);
    r[4] = cimag(c);
    r[5] = a == b;
    r[6] = cabs(b);
    c = sq(a) + 1;
    r[7] = creal(c);
    float complex f = a;
    f *= 2;
    r[8] = crealf(f);
    c = -a;
    c += f;
    r[9] = cimag(c);
    c = cexp(a);
    r[10] = creal(c);
    r[11] = __real__ c - __imag__ a;
    c = csqrt(a);
    r[12] = cimag(c);
    S s = {a, 1};
    r[13] = cimag(s.z);
    r[14] = carg(a);
    double x = a;
    r[15] = x;
    __real__ c = 5;
    r[15] += creal(c);
    r[14] += a != 0;
}
#pragma omp end declare target
int main(void)
{
    long n = 3;
    TRY(complex_numbers, n);
    return failures != 0;
}
