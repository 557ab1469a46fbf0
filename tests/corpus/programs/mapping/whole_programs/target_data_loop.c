// A relaxation with a convergence test on the host inside target data.
#include <math.h>
#include <stdlib.h>

int main(void)
{
    int n = 64, it;
    double *u = calloc(n, sizeof *u), *w = calloc(n, sizeof *w);
    u[0] = w[0] = 1.0;
    double change = 1.0;
#pragma omp target data map(tofrom: u[0:n], w[0:n])
    for (it = 0; it < 5000 && change > 1e-4; it++) {
#pragma omp target teams distribute parallel for
        for (int i = 1; i < n - 1; i++)
            w[i] = 0.5 * (u[i - 1] + u[i + 1]);
#pragma omp target update from(u[0:n], w[0:n]) //@ good bad2
#pragma omp target update from(w[0:n]) //@ bad // or-here [bad]
        change = 0.0;
        for (int i = 1; i < n - 1; i++)
            change = fmax(change, fabs(u[i] - w[i])); // expect: mapping [bad bad3]
        u[n - 1] = change; //@ bad2
#pragma omp target teams distribute parallel for // expect: mapping [bad2]
        for (int i = 0; i < n; i++)
            u[i] = w[i]; //@ good bad bad3
            u[i] = i < n - 1 ? w[i] : u[i]; //@ bad2 // or-here [bad2]
    }
    int bad = it < 20 || it == 5000 || u[1] < u[2];
    free(u);
    free(w);
    return bad;
}
