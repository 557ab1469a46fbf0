// A simulation that writes checkpoints from the host copy.
#include <stdlib.h>
#include <string.h>

static double saved[64];

static void checkpoint(const double *u, int n)
{
    memcpy(saved, u, n * sizeof *u); // expect: mapping [bad]
}

static void restore(double *u, int n)
{
    memcpy(u, saved, n * sizeof *u);
#pragma omp target update to(u[0:n]) //@ good bad
}

static void advance(double *u, int n)
{
#pragma omp target teams distribute parallel for map(tofrom: u[0:n]) // expect: mapping [bad2]
    for (int i = 0; i < n; i++)
        u[i] += 1; // or-here [bad2]
}

int main(void)
{
    int n = 64;
    double *u = calloc(n, sizeof *u);
#pragma omp target enter data map(to: u[0:n])
    for (int t = 1; t <= 6; t++) {
        advance(u, n); // or-here [bad2]
        if (t == 3) {
#pragma omp target update from(u[0:n]) //@ good bad2
            checkpoint(u, n); // or-here [bad]
        }
    }
    restore(u, n);
    advance(u, n); // or-here [bad2]
#pragma omp target exit data map(from: u[0:n])
    int bad = u[0] != 4 || u[63] != 4;
    free(u);
    return bad;
}
