// Advection with ghost cells at both ends that the host fills.
#include <stdlib.h>

int main(void)
{
    int n = 64, g = 2, total = n + 2 * g, bad = 0;
    double *u = malloc(total * sizeof *u), *f = malloc(total * sizeof *f);
    for (int i = 0; i < total; i++)
        u[i] = i < total / 2 ? 1 : 0;
#pragma omp target data map(tofrom: u[0:total]) map(alloc: f[0:total]) //@ good bad2 bad3 // or-here [bad3]
#pragma omp target data map(tofrom: u[g:n]) map(alloc: f[0:total]) //@ bad // or-here [bad]
    for (int t = 0; t < 5; t++) {
#pragma omp target update from(u[g:1])
#pragma omp target update from(u[n+g-1:1])
        for (int k = 0; k < g; k++) {
            u[k] = u[g];
            u[n + g + k] = u[n + g - 1];
        }
#pragma omp target update to(u[0:g]) // or-here [bad]
#pragma omp target update to(u[n+g:g]) //@ good bad bad3 // or-here [bad]
#pragma omp target update to(u[n+g:2*g]) //@ bad2 // expect: mapping [bad2]
#pragma omp target teams distribute parallel for
        for (int i = 1; i < total; i++)
            f[i] = u[i] - u[i - 1]; // expect: mapping [bad]
#pragma omp target teams distribute parallel for
        for (int i = g; i < n + g; i++)
            u[i] -= 0.5 * f[i]; //@ good bad bad2 // or-here [bad bad3]
            u[i] -= 0.5 * f[i - g - 1]; //@ bad3 // expect: mapping [bad3]
    }
    for (int i = g; i < n + g; i++)
        bad |= u[i] < -1e-9 || u[i] > 1 + 1e-9;
    bad |= u[g] != 1 || u[total / 2] <= 0.5;
    free(u);
    free(f);
    return bad;
}
