// The edges of a line in two colours, one loop for each: no two edges of a colour have an end in common.
#include <stdlib.h>

struct edge { int from, to; double w; };

int main(void)
{
    int n = 1000, ne = 999, even = 500;
    struct edge *e = malloc(ne * sizeof *e);
    double *u = calloc(n, sizeof *u), sum = 0.0;
    for (int i = 0; i < 500; i++)
        e[i] = (struct edge){2 * i, 2 * i + 1, 1};
    for (int i = 0; i < 499; i++)
        e[500 + i] = (struct edge){2 * i + 1, 2 * i + 2, 1};
#pragma omp parallel for
    for (int i = 0; i < even; i++) {
        u[e[i].from] -= e[i].w;
        u[e[i].to] += e[i].w;
    }
#pragma omp parallel for
    for (int i = even; i < ne; i++) {
        u[e[i].from] -= e[i].w;
        u[e[i].to] += e[i].w;
    }
    for (int i = 0; i < n; i++)
        sum += u[i];
    return sum != 0.0;
}
