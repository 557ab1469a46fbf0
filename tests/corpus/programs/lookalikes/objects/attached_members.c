// A struct with two buffers: entered together, used through the struct, left together.
#include <stdio.h>
#include <stdlib.h>

struct state { int n; double *p, *q; };

int main(void)
{
    struct state *s = malloc(sizeof *s);
    s->n = 15;
    s->p = calloc(15, sizeof(double));
    s->q = calloc(15, sizeof(double));
#pragma omp target enter data map(to: s[0:1])
#pragma omp target enter data map(to: s->p[0:15])
#pragma omp target enter data map(alloc: s->q[0:15])
#pragma omp target teams distribute parallel for
    for (int i = 0; i < s->n; i++) {
        s->q[i] = s->p[i] + 1.0;
        s->p[i] = s->q[i] * 2.0;
    }
#pragma omp target update from(s->q[0:15])
    double q = s->q[14];
#pragma omp target exit data map(from: s->p[0:15])
#pragma omp target exit data map(delete: s->q[0:15])
#pragma omp target exit data map(release: s[0:1])
    int wrong = q != 1.0 || s->p[14] != 2.0;
    free(s->p);
    free(s->q);
    free(s);
    return wrong;
}
