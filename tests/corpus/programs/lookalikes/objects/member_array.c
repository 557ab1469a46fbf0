// Arrays inside of a struct: sections of members, scalars beside them.
#include <stdio.h>
#define MAX 32

struct batch { int used; double in[MAX], out[MAX]; };

static struct batch g;

static void run(struct batch *b)
{
#pragma omp target map(tofrom: b[0:1])
    for (int i = 0; i < b->used; i++)
        b->out[i] = 2.0 * b->in[i];
}

int main(void)
{
    g.used = 20;
    for (int i = 0; i < MAX; i++)
        g.in[i] = i;
    run(&g);
    return g.out[19] != 38.0;
}
