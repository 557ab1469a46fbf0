// The result is deleted on the device instead of being brought back.
#include <stdio.h>
#include <stdlib.h>
#define LEN 512

struct field { double *values; size_t n; };

static void enter(struct field *f)
{
    double *v = f->values;
#pragma omp target enter data map(to: v[0:f->n])
}

static void leave(struct field *f)
{
    double *v = f->values;
#pragma omp target exit data map(delete: v[0:f->n]) //@ bad // expect: mapping
#pragma omp target exit data map(release: v[0:f->n]) //@ bad2 // expect: mapping
#pragma omp target exit data map(from: v[0:f->n]) //@ good
#pragma omp target update from(v[0:f->n]) //@ good2
#pragma omp target exit data map(delete: v[0:f->n]) //@ good2
}

static void scale(struct field *f, double s)
{
    double *v = f->values;
    size_t n = f->n;
#pragma omp target teams distribute parallel for map(to: v[0:n])
    for (size_t i = 0; i < n; i++)
        v[i] *= s; // or-here
}

int main(void)
{
    struct field f = { malloc(LEN * sizeof(double)), LEN };
    for (size_t i = 0; i < f.n; i++)
        f.values[i] = 1.0;
    enter(&f);
    scale(&f, 4.0);
    leave(&f);
    double sum = 0.0;
    for (size_t i = 0; i < f.n; i++)
        sum += f.values[i]; // or-here
    free(f.values);
    printf("%g\n", sum);
    return sum != 4.0 * LEN;
}
