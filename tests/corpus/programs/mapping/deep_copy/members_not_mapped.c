// The struct is mapped, what its members point to is not.
#include <stdio.h>
#include <stdlib.h>

typedef struct { int n; double *x, *y; } points;

static double dot(points *p)
{
    double s = 0.0;
#pragma omp target map(to: p[0:1]) map(tofrom: s) //@ bad // expect: mapping
#pragma omp target map(to: p[0:1], p->x[0:p->n]) map(tofrom: s) //@ bad2 // expect: mapping
#pragma omp target map(to: p->n, p->x[0:p->n], p->y[0:p->n]) map(tofrom: s) //@ good
    for (int i = 0; i < p->n; i++)
        s += p->x[i] * p->y[i]; // or-here
    return s;
}

int main(void)
{
    points p = { 10, malloc(80), malloc(80) };
    for (int i = 0; i < p.n; i++) {
        p.x[i] = 1.0;
        p.y[i] = 2.0;
    }
    double s = dot(&p);
    free(p.x);
    free(p.y);
    return s != 20.0;
}
