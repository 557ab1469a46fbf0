// Butterfly passes with twiddle factors that are computed once on the host.
#include <math.h>
#include <stdlib.h>
typedef struct { double re, im; } cplx;

static void passes(cplx *x, const cplx *w, int n)
{
    for (int half = 1; half < n; half *= 2) {
        int stride = n / (2 * half);
#pragma omp target teams distribute parallel for map(to: w[0:n/2]) map(tofrom: x[0:n]) firstprivate(half, stride)
        for (int k = 0; k < n / 2; k++) {
            int j = k % half, i = 2 * half * (k / half) + j;
            cplx t = {w[j * stride].re * x[i + half].re - w[j * stride].im * x[i + half].im,
                      w[j * stride].re * x[i + half].im + w[j * stride].im * x[i + half].re};
            x[i + half] = (cplx){x[i].re - t.re, x[i].im - t.im};
            x[i] = (cplx){x[i].re + t.re, x[i].im + t.im};
        }
    }
}

int main(void)
{
    int n = 64;
    cplx *x = calloc(n, sizeof *x), *w = malloc(n / 2 * sizeof *w);
#pragma omp target enter data map(to: w[0:n/2]) //@ bad // or-here [bad]
    for (int k = 0; k < n / 2; k++)
        w[k] = (cplx){cos(-2 * M_PI * k / n), sin(-2 * M_PI * k / n)};
#pragma omp target enter data map(to: w[0:n/2]) //@ good bad2
#pragma omp target enter data map(to: x[0:n]) //@ bad2 // or-here [bad2]
    x[0].re = 1;
    x[1].re = 1;
#pragma omp target enter data map(to: x[0:n]) //@ good bad
    passes(x, w, n); // expect: mapping [bad bad2]
#pragma omp target exit data map(from: x[0:n]) map(delete: w[0:n/2])
    int bad = fabs(x[0].re - 2) > 1e-9 || fabs(x[1].re) > 1e-9;
    free(x);
    free(w);
    return bad;
}
