// Members of one structure in different directions.
#include <stdio.h>
#include <stdlib.h>
struct sim { int n; double dt; double *u; double *unew; double residual; };
int main(void)
{
    struct sim s = {.n = 50, .dt = 0.1};
    s.u = malloc(s.n * sizeof(double));
    s.unew = malloc(s.n * sizeof(double));
    for (int i = 0; i < s.n; i++) s.u[i] = s.unew[i] = i;
    for (int it = 0; it < 3; it++) {
        s.residual = 0;
#pragma omp target map(to: s.n, s.dt, s.u[0:s.n]) map(tofrom: s.unew[0:s.n], s.residual) //@ good
#pragma omp target map(to: s.n, s.dt, s.u[0:s.n], s.residual) map(tofrom: s.unew[0:s.n]) //@ bad // expect: mapping [bad]
#pragma omp target map(to: s.n, s.dt, s.u[0:s.n], s.unew[0:s.n]) map(tofrom: s.residual) //@ bad2 // expect: mapping [bad2]
#pragma omp target map(to: s.n, s.dt, s.u[0:1]) map(tofrom: s.unew[0:s.n], s.residual) //@ bad3 // expect: mapping [bad3]
#pragma omp target map(to: s.n, s.dt, s.u) map(tofrom: s.unew[0:s.n], s.residual) //@ bad4 // expect: mapping [bad4]
        for (int i = 1; i < s.n - 1; i++) {
            s.unew[i] = s.u[i] + s.dt * (s.u[i - 1] - 2 * s.u[i] + s.u[i + 1]); // expect: mapping [bad3 bad4]
            s.residual += s.unew[i] - s.u[i]; // expect: mapping [bad4]
        }
        if (s.residual < 1e-9) break; // expect: mapping [bad]
        for (int i = 0; i < s.n; i++) s.u[i] = s.unew[i]; // expect: mapping [bad2]
    }
    printf("%g\n", s.u[1]);
    free(s.u); free(s.unew);
    return 0;
}
