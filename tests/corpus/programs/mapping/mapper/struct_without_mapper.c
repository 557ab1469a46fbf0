// A type with a mapper, and the same type without one.
// needs: clang (gcc 12 does not know this)
#include <stdio.h>
#include <stdlib.h>

typedef struct { int len; double *data; } vec;
#pragma omp declare mapper(vec v) map(v, v.data[0:v.len]) //@ good

static void scale(vec *s, double f)
{
#pragma omp target map(tofrom: s[0:1]) // expect: mapping
    for (int i = 0; i < s->len; i++)
        s->data[i] *= f; // or-here
}

int main(void)
{
    vec v = { 6, malloc(6 * sizeof(double)) };
    for (int i = 0; i < v.len; i++)
        v.data[i] = i;
    scale(&v, 2.0);
    int wrong = v.data[5] != 10.0;
    free(v.data);
    return wrong;
}
