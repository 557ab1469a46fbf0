// A pointer to one object: [0:1], [:1] and a scalar are the same size.
#include <stdio.h>
#include <stdlib.h>

struct particle { double x[3]; double q; };

static void move(struct particle *p, double dt)
{
#pragma omp target map(tofrom: p[0:1]) //@ good
#pragma omp target map(tofrom: p[:1]) //@ good2
    for (int k = 0; k < 3; k++)
        p->x[k] += dt * p->q;
}

int main(void)
{
    struct particle p = { { 0, 1, 2 }, 2.0 }, *h = malloc(sizeof *h);
    *h = p;
    move(&p, 0.5);
    move(h, 1.0);
    int wrong = p.x[2] != 3.0 || h->x[0] != 2.0;
    free(h);
    return wrong;
}
