// Three levels of functions; every level assumes that the data is present.
#include <stdio.h>
#include <stdlib.h>

struct sim { int n; double *x, *v; };

static void kick(double *v, int n) {
#pragma omp target teams distribute parallel for map(tofrom: v[0:n])
    for (int i = 0; i < n; i++)
        v[i] += 1.0;
}

static void drift(double *x, const double *v, int n) {
#pragma omp target teams distribute parallel for map(tofrom: x[0:n]) map(to: v[0:n])
    for (int i = 0; i < n; i++)
        x[i] += v[i];
}

static void step(struct sim *s) {
    kick(s->v, s->n);
    drift(s->x, s->v, s->n);
}

static void run(struct sim *s, int steps)
{
    double *x = s->x, *v = s->v; //@ good
#pragma omp target data map(tofrom: x[0:s->n]) map(to: v[0:s->n]) //@ good
    for (int t = 0; t < steps; t++)
        step(s);
}

int main(void)
{
    struct sim s = { 8, calloc(8, sizeof(double)), calloc(8, sizeof(double)) };
    run(&s, 3);
    int wrong = s.x[7] != 6.0;
    free(s.x);
    free(s.v);
    return wrong;
}
