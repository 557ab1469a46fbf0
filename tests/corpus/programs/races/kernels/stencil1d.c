#include <stdio.h>
#include <stdlib.h>
void smooth(float *u, float *v, int n, int steps)
{
    #pragma omp target data map(tofrom: u[0:n]) map(to: v[0:n])
    for (int s = 0; s < steps; s++) {
        #pragma omp target teams distribute parallel for // or-here
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.25f * (u[i - 1] + 2 * u[i] + u[i + 1]); //@ good
            u[i] = 0.25f * (u[i - 1] + 2 * u[i] + u[i + 1]); //@ bad // expect: race
            u[i + 1] = u[i] * 0.5f; //@ bad2 // expect: race
        float *t = u; //@ good
        u = v; //@ good
        v = t; //@ good
    }
}
int main(void)
{
    int n = 1 << 12;
    float *u = calloc(n, sizeof *u), *v = calloc(n, sizeof *v);
    u[n / 2] = 1;
    smooth(u, v, n, 10);
    printf("%f\n", u[n / 2]);
    free(u), free(v);
    return 0;
}
