// the halo is exchanged on the host between kernels
#include <stdio.h>
#include <stdlib.h>
#define LEN 512
static void exchange(double *f) { double l = f[1], r = f[LEN]; f[0] = r; f[LEN + 1] = l; } // or-here
int main(void)
{
    double *f = malloc((LEN + 2) * sizeof(double)), *g = malloc((LEN + 2) * sizeof(double));
    for (int i = 0; i < LEN + 2; i++) f[i] = g[i] = i % 7;
    #pragma omp target data map(tofrom: f[0:LEN+2]) map(to: g[0:LEN+2])
    {
        for (int t = 0; t < 5; t++) {
            #pragma omp target teams distribute parallel for
            for (int i = 1; i <= LEN; i++) g[i] = 0.5 * (f[i - 1] + f[i + 1]);
            #pragma omp target teams distribute parallel for
            for (int i = 1; i <= LEN; i++) f[i] = g[i];
            #pragma omp target update to(f[1:1]) //@ bad // or-here
            #pragma omp target update to(f[LEN:1]) //@ bad // or-here
            #pragma omp target update from(f[1:1]) //@ good
            #pragma omp target update from(f[LEN:1]) //@ good
            exchange(f); // expect: mapping
            #pragma omp target update to(f[0:1])
            #pragma omp target update to(f[LEN+1:1])
        }
    }
    printf("%g\n", f[3]);
    free(f); free(g);
    return 0;
}
