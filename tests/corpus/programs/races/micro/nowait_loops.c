#include <stdio.h>
#include <stdlib.h>
void smooth(double *restrict u, double *restrict v, int n)
{
    #pragma omp parallel
    {
        #pragma omp for nowait //@ bad
        #pragma omp for //@ good
        for (int i = 0; i < n; i++)
            v[i] = 0.5 * u[i];
        #pragma omp for // or-here
        for (int i = 1; i < n; i++)
            u[i] = v[i] + v[i - 1]; // expect: race
    }
}
int main(void)
{
    double *u = malloc(100 * sizeof *u), *v = malloc(100 * sizeof *v);
    for (int i = 0; i < 100; i++) u[i] = i;
    smooth(u, v, 100);
    printf("%g\n", u[50]);
    free(u), free(v);
    return 0;
}
