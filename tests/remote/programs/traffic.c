/* Regions of which `ompls preview --resources` tells what travels; the argument says how often each is executed. */
#include <stdlib.h>
#define N 100000
static double a[N], b[N], c[64], d[600], g[100][200];

int main(int argc, char **argv)
{
    double s = 0, *p = a;
    int k = 3, times = argc > 1 ? atoi(argv[1]) : 1;
    for (int t = 0; t < times; t++) {
        #pragma omp target map(to: a) map(from: b[0:N]) map(tofrom: s)
        {
            for (int i = 0; i < N; i++) b[i] = a[i] * k;
            s = 1;
        }
        #pragma omp target map(tofrom: c, d)
        c[1] = d[2];
        #pragma omp target map(tofrom: g[0:50][0:200])
        g[1][1] = 2;
        #pragma omp target map(alloc: p[0:N])
        p[1] = 2;
        #pragma omp target map(to: p[0:times])
        k = p[0] > 0;
    }
    return s != 1;
}
