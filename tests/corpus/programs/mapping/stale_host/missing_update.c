// The host looks at the residual in every step, but does not fetch it.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

int main(void)
{
    int n = 100, steps = 0;
    double *u = malloc(n * sizeof *u), res[1] = { 1.0 };
    for (int i = 0; i < n; i++)
        u[i] = 1.0;
#pragma omp target data map(tofrom: u[0:n], res)
    while (steps < 50 && res[0] > 1e-3) { // expect: mapping
#pragma omp target
        {
            res[0] = 0.0; // or-here
            for (int i = 0; i < n; i++) {
                u[i] *= 0.5;
                res[0] = fmax(res[0], u[i]); // or-here
            }
        }
#pragma omp target update from(res) //@ good
        steps++;
    }
    printf("%d steps\n", steps);
    free(u);
    return steps != 10;
}
