// Two subdomains on one device; halos go through the host in each step.
#include <stdlib.h>
#define W 100

static void sweep(double *u, double *t, int n)
{
#pragma omp target teams distribute parallel for map(to: u[0:n]) map(from: t[0:n])
    for (int i = 1; i < n - 1; i++)
        t[i] = 0.5 * (u[i - 1] + u[i + 1]); // or-here [bad2 bad3]
#pragma omp target teams distribute parallel for map(from: u[0:n]) map(to: t[0:n])
    for (int i = 1; i < n - 1; i++)
        u[i] = t[i];
}

int main(void)
{
    double *l = malloc(W * sizeof *l), *r = malloc(W * sizeof *r), *t = calloc(W, sizeof *t);
    double ref[2 * W - 2], tmp[2 * W - 2];
    for (int i = 0; i < 2 * W - 2; i++)
        ref[i] = (i * 37) % 11;
    for (int i = 0; i < W; i++) {
        l[i] = ref[i];
        r[i] = ref[W - 2 + i];
    }
#pragma omp target data map(tofrom: l[0:W], r[0:W]) map(alloc: t[0:W])
    for (int s = 0; s < 8; s++) {
        sweep(l, t, W);
        sweep(r, t, W);
#pragma omp target update from(l[W-2:1], r[1:1]) //@ good bad2 bad3
#pragma omp target update from(l[W-2:1]) //@ bad // or-here [bad]
        l[W - 1] = r[1]; // expect: mapping [bad]
        r[0] = l[W - 2];
#pragma omp target update to(l[W-1:1], r[0:1]) //@ good bad
#pragma omp target update to(l[W-1:1]) //@ bad2 // expect: mapping [bad2]
#pragma omp target update to(l[W:1], r[0:1]) //@ bad3 // expect: mapping [bad3]
    }
    for (int s = 0; s < 8; s++) {
        for (int i = 1; i < 2 * W - 3; i++)
            tmp[i] = 0.5 * (ref[i - 1] + ref[i + 1]);
        for (int i = 1; i < 2 * W - 3; i++)
            ref[i] = tmp[i];
    }
    int bad = 0;
    for (int i = 1; i < W - 1; i++)
        bad |= l[i] != ref[i] || r[i] != ref[W - 2 + i];
    free(l);
    free(r);
    free(t);
    return bad;
}
