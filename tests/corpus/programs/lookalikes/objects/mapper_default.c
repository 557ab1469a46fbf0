// A default mapper makes the deep copy.
// needs: clang
#include <stdio.h>
#include <stdlib.h>

typedef struct { int len; double *data; } vec;
#pragma omp declare mapper(vec v) map(v, v.data[0:v.len])

static void add(vec *a, vec *b)
{
#pragma omp target map(tofrom: a[0:1]) map(to: b[0:1])
    for (int i = 0; i < a->len; i++)
        a->data[i] += b->data[i];
}

int main(void)
{
    vec a = { 5, calloc(5, sizeof(double)) }, b = { 5, calloc(5, sizeof(double)) };
    b.data[4] = 3.0;
    add(&a, &b);
#pragma omp target map(tofrom: a)
    a.data[0] = 1.0;
    int wrong = a.data[4] != 3.0 || a.data[0] != 1.0;
    free(a.data);
    free(b.data);
    return wrong;
}
